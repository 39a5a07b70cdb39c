/*
 * poll_on_set.c: a thread that polls an epoll set, or selects it, as those do that have a loop inside another one. What arrives
 * at the connections inside the set wakes it.
 *
 * heddle: verdict=verified args=poll client="@peer connect {port} send:a~ want:a" clients=2
 * heddle: verdict=verified args=select client="@peer connect {port} send:a~ want:a" clients=2
 * heddle: verdict=violation kind=comm-deadlock args=forgets client="@peer connect {port} send:a~ want:a" clients=1
 */
#include "event.h"

static void wait_for(int set, int selects)
{
	struct pollfd p = {.fd = set, .events = POLLIN};
	fd_set in;
	FD_ZERO(&in);
	FD_SET(set, &in);
	CHECK((selects ? select(set + 1, &in, NULL, NULL, NULL) : poll(&p, 1, -1)) == 1);
}

int main(int argc, char **argv)
{
	int listener = nonblocking(listen_on(PORT)), set = epoll_create1(0), left = 2;
	epoll_set(set, EPOLL_CTL_ADD, listener, EPOLLIN);
	while (left) {
		struct epoll_event e;
		char text[4];
		wait_for(set, story(argc, argv, "select"));
		CHECK(epoll_wait(set, &e, 1, 0) == 1);
		if (e.data.fd == listener) {
			int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
			if (fd >= 0)
				epoll_set(set, EPOLL_CTL_ADD, fd,
					  story(argc, argv, "forgets") ? EPOLLIN | EPOLLONESHOT : EPOLLIN);
			continue;
		}
		ssize_t n = read(e.data.fd, text, sizeof(text));
		if (n > 0)
			CHECK(write(e.data.fd, text, (size_t)n) == n);
		if (n == 0) {
			OK(close(e.data.fd));
			left--;
		}
	}
	return 0;
}
