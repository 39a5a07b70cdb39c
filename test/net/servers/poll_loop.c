/*
 * One thread, poll() over the listener and all connections, blocking reads only where poll says that there is something.
 * The network delivers in any order.
 *
 * heddle: verdict=verified outcomes=1,2 clients=2 client="@peer connect {port} send:{n}~ want:{n}"
 * heddle: verdict=verified outcomes=1,2 cache=none clients=2 client="@peer connect {port} send:{n}~ want:{n}"
 */
#include <poll.h>

#include "net.h"

static struct pollfd watched[8];
static nfds_t count;

static void watch(int fd)
{
	watched[count++] = (struct pollfd){.fd = fd, .events = POLLIN};
}

static void answer(struct pollfd *p)
{
	char text[16];
	ssize_t n = read(p->fd, text, sizeof(text) - 1);
	CHECK(n >= 0);
	text[n] = 0;
	if (n == 0) {
		OK(close(p->fd));
		p->fd = -1;
		return;
	}
	say(p->fd, text);
	heddle_outcome(atoi(text));
}

int main(void)
{
	watch(listen_on(PORT));
	for (;;) {
		CHECK(poll(watched, count, -1) > 0);
		for (nfds_t i = 1, n = count; i < n; i++)
			if (watched[i].revents)
				answer(&watched[i]);
		if (watched[0].revents)
			watch(take_client(watched[0].fd));
	}
}
