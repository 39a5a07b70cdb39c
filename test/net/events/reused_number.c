/*
 * reused_number.c: inside a batch a connection is closed and its number given to a new one: the event that follows is
 * about the old one. Who keeps its state by number must expect a read that finds nothing.
 *
 * heddle: verdict=verified clients=3 client="@peer connect {port} send:a~ eof"
 * native: skip
 */
#include "event.h"

static int said[16];

int main(void)
{
	int listener = nonblocking(listen_on(PORT)), set = epoll_create1(0);
	epoll_set(set, EPOLL_CTL_ADD, listener, EPOLLIN);
	for (;;) {
		struct epoll_event e[4];
		int n = epoll_wait(set, e, 4, -1);
		CHECK(n > 0);
		for (int i = 0; i < n; i++) {
			int fd = e[i].data.fd;
			char text[8];
			if (fd == listener) {
				int c = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
				CHECK(c >= 0);
				said[c] = 0;
				epoll_set(set, EPOLL_CTL_ADD, c, EPOLLIN);
				continue;
			}
			ssize_t got = read(fd, text, sizeof(text));
			CHECK(got > 0 || (got < 0 && errno == EAGAIN) || said[fd]);
			said[fd] |= got > 0;
			if (got > 0 && text[got - 1] == '\n')
				OK(close(fd));
		}
	}
}
