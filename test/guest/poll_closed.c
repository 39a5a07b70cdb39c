/*
 * poll_closed.c: a thread closes what another one polls. Whoever waits already holds it: it is not woken, the other end sees no
 * end, and when something else wakes it, the number is told as closed. Who comes later finds it closed at once.
 *
 * heddle: verdict=violation kind=deadlock args=holds
 * heddle: verdict=violation kind=deadlock args=select
 * heddle: verdict=verified args=data outcomes=32
 * heddle: verdict=verified args=time outcomes=0,32
 * heddle: verdict=verified args=other outcomes=32,33
 * heddle: verdict=verified args=other options="--sanity 2" outcomes=32,33
 * heddle: verdict=verified args=data options="--sanity 2" outcomes=32
 *
 * native: exit=0 args=time
 */
#include <poll.h>
#include <signal.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#include "guest.h"

static int ends[2], bell[2];

static void *polls(void *arg)
{
	struct pollfd p[2] = {{.fd = ends[0], .events = POLLIN}, {.fd = bell[0], .events = POLLIN}};
	int n = poll(p, arg ? 2 : 1, -1);
	heddle_outcome(p[0].revents + (p[1].revents ? 1 : 0));
	return n > 0 ? NULL : arg;
}

static void *polls_a_while(void *arg)
{
	struct pollfd p = {.fd = ends[0], .events = POLLIN};
	poll(&p, 1, 1000);
	heddle_outcome(p.revents); /* as Linux: it looks once more when the time is over */
	return arg;
}

static void *selects(void *arg)
{
	fd_set set;
	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	select(ends[0] + 1, &set, NULL, NULL, NULL);
	return arg;
}

int main(int argc, char **argv)
{
	void *(*how)(void *) = story(argc, argv, "select") ? selects
			       : story(argc, argv, "time") ? polls_a_while
							   : polls;
	char byte;
	signal(SIGPIPE, SIG_IGN);
	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	if (pipe(bell))
		return 1;
	pthread_t t = spawn(how, story(argc, argv, "other") ? argv : NULL);
	close(ends[0]);
	if (story(argc, argv, "data")) {
		if (write(ends[1], "x", 1) < 0)
			byte = 0;
	} else if (story(argc, argv, "other")) {
		if (write(bell[1], "x", 1) != 1)
			return 1;
	} else if (story(argc, argv, "holds")) {
		return read(ends[1], &byte, 1) != 0; /* no end while it is polled */
	}
	join(t);
	return 0;
}
