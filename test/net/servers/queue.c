/*
 * Main accepts and puts connections into a queue, two workers take them out. At the end main waits in accept and the workers for
 * a condition: nobody is stuck, there is nothing to do. 
 *
 * heddle: verdict=verified outcomes=1,2 clients=2 args=right client="@peer connect {port} send:{n}~ want:{n}"
 * heddle: verdict=verified outcomes=1,2 cache=linear clients=2 args=right client="@peer connect {port} send:{n}~ want:{n}"
 */
#include "net.h"

static int queue[8], queued;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;

static int take(void)
{
	OK(pthread_mutex_lock(&lock));
	while (!queued)
		OK(pthread_cond_wait(&more, &lock));
	int fd = queue[--queued];
	OK(pthread_mutex_unlock(&lock));
	return fd;
}

static void *work(void *arg)
{
	for (;;) {
		char line[8];
		int fd = take();
		CHECK(hear_line(fd, line, sizeof(line)));
		dprintf(fd, "%s\n", line);
		OK(close(fd));
		heddle_outcome(atoi(line));
	}
	return arg;
}

int main(void)
{
	int listener = listen_on(PORT);
	spawn(work, NULL);
	spawn(work, NULL);
	for (;;) {
		int fd = take_client(listener);
		OK(pthread_mutex_lock(&lock));
		queue[queued++] = fd;
		OK(pthread_mutex_unlock(&lock));
		OK(pthread_cond_signal(&more));
	}
}
