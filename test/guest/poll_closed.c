/*
 * poll_closed.c: a thread polls a descriptor that another one closes. Linux does not wake it up; whether it was there already is not
 * explored, so the verdict is incomplete. Without a wait, and where the close comes first for sure, nothing is missed.
 *
 * heddle: verdict=incomplete refused~="poll or select.*closed a descriptor" args=wait outcomes=32
 * heddle: verdict=verified args=look outcomes=0,32
 * native: args=look
 */
#include <poll.h>
#include <sys/socket.h>

#include "guest.h"

static int pair[2], timeout;

static void *poller(void *arg)
{
	struct pollfd p = {.fd = pair[0], .events = POLLIN};
	poll(&p, 1, timeout);
	heddle_outcome(p.revents);
	return arg;
}

int main(int argc, char **argv)
{
	timeout = argc > 1 && !strcmp(argv[1], "wait") ? -1 : 0;
	OK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	pthread_t t = spawn(poller, NULL);
	OK(close(pair[0]));
	join(t);
	return 0;
}
