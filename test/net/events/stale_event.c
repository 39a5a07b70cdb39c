/*
 * stale_event.c: a batch of events tells of two connections; the first one's handler closes both. The second event is
 * about a connection that is gone. The right version looks whether it still is there.
 *
 * heddle: verdict=verified args=right clients=2 client="@peer connect {port} send:quit~ eof"
 * heddle: verdict=violation kind=assert args=wrong clients=2 client="@peer connect {port} send:quit~ eof"
 * native: skip
 */
#include "event.h"

static int open_now[16];

static void close_all(void)
{
	for (int fd = 0; fd < 16; fd++)
		if (open_now[fd]) {
			OK(close(fd));
			open_now[fd] = 0;
		}
}

int main(int argc, char **argv)
{
	int listener = nonblocking(listen_on(PORT)), set = epoll_create1(0);
	epoll_set(set, EPOLL_CTL_ADD, listener, EPOLLIN);
	for (;;) {
		struct epoll_event e[4];
		int n = epoll_wait(set, e, 4, -1);
		CHECK(n > 0);
		for (int i = 0; i < n; i++) {
			int fd = e[i].data.fd;
			char c;
			if (fd == listener) {
				int new = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
				CHECK(new >= 0);
				open_now[new] = 1;
				epoll_set(set, EPOLL_CTL_ADD, new, EPOLLIN);
				continue;
			}
			if (story(argc, argv, "right") && !open_now[fd])
				continue;
			CHECK(read(fd, &c, 1) >= 0);
			close_all();
		}
	}
}
