/*
 * A pool of threads that all wait in accept on one socket. Either may take either client, one may take both. With `mutex` only one at
 * a time waits in accept, the others for it to be done: with no client left, that is no deadlock.
 *
 * heddle: verdict=verified outcomes=11,12,21,22 clients=2 args=free client="@peer connect {port} send:{n}~ want:{n}"
 * heddle: verdict=verified outcomes=11,12,21,22 cache=linear clients=2 args=free client="@peer connect {port} send:{n}~ want:{n}"
 * heddle: verdict=verified outcomes=11,12,21,22 clients=2 args=mutex client="@peer connect {port} send:{n}~ want:{n}"
 */
#include "net.h"

static int listener, guarded;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static int next_client(void)
{
	if (guarded)
		OK(pthread_mutex_lock(&turn));
	int fd = take_client(listener);
	if (guarded)
		OK(pthread_mutex_unlock(&turn));
	return fd;
}

static void *work(void *arg)
{
	for (long me = (long)arg;;) {
		char line[8];
		int fd = next_client();
		CHECK(hear_line(fd, line, sizeof(line)));
		dprintf(fd, "%s\n", line);
		OK(close(fd));
		heddle_outcome(me * 10 + atoi(line));
	}
}

int main(int argc, char **argv)
{
	guarded = story(argc, argv, "mutex");
	listener = listen_on(PORT);
	spawn(work, (void *)1l);
	work((void *)2l);
	return 0;
}
