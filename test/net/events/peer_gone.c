/*
 * peer_gone.c: the client has gone: read returns 0, again and again, and a level-triggered loop never rests.
 * Who takes 0 for "nothing yet" goes round in circles.
 *
 * heddle: verdict=verified args=right clients=1 client="@peer connect {port} send:a~ line"
 * heddle: verdict=violation kind=livelock args=wrong clients=1 client="@peer connect {port} send:a~ line"
 * native: skip
 */
#include "event.h"

int main(int argc, char **argv)
{
	int listener = nonblocking(listen_on(PORT)), set = epoll_create1(0);
	epoll_set(set, EPOLL_CTL_ADD, listener, EPOLLIN);
	for (;;) {
		struct epoll_event e;
		char c;
		CHECK(epoll_wait(set, &e, 1, -1) == 1);
		if (e.data.fd == listener) {
			epoll_set(set, EPOLL_CTL_ADD, accept4(listener, NULL, NULL, SOCK_NONBLOCK), EPOLLIN);
			continue;
		}
		ssize_t n = read(e.data.fd, &c, 1);
		if (n == 1 && c == '\n')
			say(e.data.fd, "b\n");
		if (n == 0 && !story(argc, argv, "wrong"))
			OK(close(e.data.fd));
	}
}
