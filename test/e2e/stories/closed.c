/* One thread closes the log while another writes to it. */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int log_fd;

static void *writer(void *arg)
{
	assert(write(log_fd, "x", 1) == 1);
	return arg;
}

int main(void)
{
	int ends[2];
	pthread_t t;

	assert(pipe(ends) == 0);
	log_fd = ends[1];
	pthread_create(&t, NULL, writer, NULL);
	close(log_fd);
	pthread_join(t, NULL);
	return 0;
}
