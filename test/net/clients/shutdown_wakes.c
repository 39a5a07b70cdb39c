/*
 * A reader that would wait for ever is woken by another thread's shutdown, or ended by its cancellation; what had come before is
 * still read. A server that is told to stop does it like that.
 *
 * heddle: verdict=verified outcomes=0,3 args=shutdown server="@peer listen {port:7000} line echo loop"
 * heddle: verdict=verified outcomes=0,3 cache=none args=shutdown server="@peer listen {port:7000} line echo loop"
 * heddle: verdict=verified outcomes=7 args=cancel server="@peer listen {port:7000} eof"
 * native: args=cancel
 */
#include "net.h"

static int fd;

static void *reader(void *arg)
{
	char buffer[8];
	ssize_t n = read(fd, buffer, sizeof(buffer));
	CHECK(n == 0 || n == 3);
	heddle_outcome(n);
	return arg;
}

static void *writer(void *arg)
{
	send(fd, "hi\n", 3, MSG_NOSIGNAL);
	return arg;
}

static void cancel(void)
{
	pthread_t t = spawn(reader, NULL);
	OK(pthread_cancel(t));
	CHECK(join(t) == PTHREAD_CANCELED);
	heddle_outcome(7);
}

int main(int argc, char **argv)
{
	fd = dial(PORT);
	if (story(argc, argv, "cancel")) {
		cancel();
		return 0;
	}
	pthread_t r = spawn(reader, NULL), w = spawn(writer, NULL);
	OK(shutdown(fd, SHUT_RDWR));
	join(r);
	join(w);
	return 0;
}
