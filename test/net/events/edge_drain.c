/*
 * edge_drain.c: edge-triggered: who does not read up to EAGAIN is not told again, and the client waits for ever.
 *
 * heddle: verdict=verified args=right clients=1 client="@peer connect {port} send:abcdefgh~ want:abcdefgh"
 * heddle: verdict=violation kind=comm-deadlock args=once clients=1 client="@peer connect {port} send:abcdefgh~ want:abcdefgh"
 * native: args=right
 */
#include "event.h"

static char text[64];
static size_t have;

/* 1: go on reading. */
static int take(int fd)
{
	ssize_t n = read(fd, text + have, 4);
	if (n < 0) {
		CHECK(errno == EAGAIN);
		return 0;
	}
	if (n == 0) {
		OK(close(fd));
		return 0;
	}
	have += (size_t)n;
	if (text[have - 1] == '\n') {
		CHECK(write(fd, text, have) == (ssize_t)have);
		have = 0;
	}
	return 1;
}

int main(int argc, char **argv)
{
	int listener = nonblocking(listen_on(PORT)), set = epoll_create1(0);
	epoll_set(set, EPOLL_CTL_ADD, listener, EPOLLIN | EPOLLET);
	for (;;) {
		struct epoll_event e;
		CHECK(epoll_wait(set, &e, 1, -1) == 1);
		if (e.data.fd != listener) {
			while (take(e.data.fd) && !story(argc, argv, "once"))
				;
			continue;
		}
		int c;
		while ((c = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0)
			epoll_set(set, EPOLL_CTL_ADD, c, EPOLLIN | EPOLLET);
		CHECK(errno == EAGAIN);
	}
}
