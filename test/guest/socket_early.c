/*
 * A call on a socket that another thread is about to connect, or to make a listener: it comes too early, or not.
 *
 * heddle: args=write verdict=verified outcomes=1,107
 * heddle: args=read verdict=verified outcomes=1,22
 * heddle: args=accept verdict=verified outcomes=11,22
 * native: args=write any
 */
#include <sys/socket.h>
#include <sys/un.h>

#include "guest.h"

static struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "early"};
static int listener, client;

static void *connects(void *arg)
{
	OK(connect(client, (struct sockaddr *)&at, sizeof(at)));
	return arg;
}

static void *listens(void *arg)
{
	OK(listen(listener, 1));
	return arg;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "write";
	char c = 'x';
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	client = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	OK(bind(listener, (struct sockaddr *)&at, sizeof(at)));
	if (!strcmp(how, "accept")) {
		pthread_t t = spawn(listens, NULL);
		CHECK(accept(listener, NULL, NULL) < 0);
		heddle_outcome((unsigned long)errno); /* EAGAIN: it listens; EINVAL: not yet */
		join(t);
		return 0;
	}
	OK(listen(listener, 1));
	pthread_t t = spawn(connects, NULL);
	long n = !strcmp(how, "write") ? send(client, &c, 1, MSG_NOSIGNAL) : recv(client, &c, 1, 0);
	heddle_outcome(n < 0 && errno != EAGAIN ? (unsigned long)errno : 1);
	join(t);
	unlink(at.sun_path);
	return 0;
}
