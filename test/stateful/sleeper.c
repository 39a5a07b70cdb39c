/*
 * A program that sleeps between two requests of a session: sleeper MANNER.
 *   careful    logs in, sleeps two seconds and knows that the session has expired, or its connection is closed
 *   trusting   … and takes it for open
 *   hasty      does not sleep, and needs it open
 *   waiting    another thread does that, while the first one looks every 20 ms whether it is done
 */
#include "program.h"
#include <stdatomic.h>

static atomic_int done;

static int is_open(int fd)
{
	char line[100];
	ssize_t n = send(fd, "hello\n", 6, MSG_NOSIGNAL) == 6 ? read(fd, line, sizeof(line) - 1) : -1;
	return n > 0 && !strncmp(line, "welcome", 7);
}

static int session(int naps)
{
	char line[100];
	int fd = dial();
	say(fd, "login");
	hear(fd, line, sizeof(line));
	if (naps)
		sleep(2);
	int open = is_open(fd);
	close(fd);
	return open;
}

static void *worker(void *arg)
{
	assert(session(0));
	done = 1;
	return arg;
}

int main(int argc, char **argv)
{
	const char *manner = argc > 1 ? argv[1] : "";
	pthread_t t;
	if (strcmp(manner, "waiting") != 0) {
		int open = session(strcmp(manner, "hasty") != 0);
		assert(open == (strcmp(manner, "careful") != 0));
		return 0;
	}
	pthread_create(&t, NULL, worker, NULL);
	while (!done)
		usleep(20000);
	pthread_join(t, NULL);
	return 0;
}
