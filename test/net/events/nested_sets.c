/*
 * An epoll set inside another: each arrival in the inner one is an edge of the outer one, also where an earlier item is still on
 * its list, and a wait for ever never returns with nothing. "wrong": the outer one is edge-triggered, and one event of the
 * inner one is taken: of two connections with news at once the second is not served.
 *
 * heddle: verdict=verified client="@peer connect {port} send:a~ want:ok" clients=2
 * heddle: verdict=violation kind=comm-deadlock args=wrong client="@peer connect {port} send:a~ want:ok" clients=2
 * heddle: verdict=verified args=wrong client="@peer connect {port} send:a~ want:ok" clients=1 options="--short-io off"
 * An inner set whose item is used up (one-shot) is not heard.
 * heddle: verdict=violation kind=deadlock args=once client="@peer connect {port} send:a~ want:ok" clients=1
 */
#include "event.h"

static int inner, outer, listener, left;

static void take(void)
{
	int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
	if (fd >= 0)
		epoll_set(inner, EPOLL_CTL_ADD, fd, EPOLLIN);
	else
		CHECK(errno == EAGAIN);
}

static void serve(void)
{
	struct epoll_event e = {0};
	char text[16];
	if (epoll_wait(inner, &e, 1, 0) != 1)
		return;
	ssize_t n = read(e.data.fd, text, sizeof(text));
	CHECK(n >= 0 || errno == EAGAIN);
	if (n == 0) {
		OK(close(e.data.fd));
		left--;
	} else if (n > 0 && text[n - 1] == '\n') {
		say(e.data.fd, "ok\n");
	}
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	listener = nonblocking(listen_on(PORT));
	inner = epoll_create1(0);
	outer = epoll_create1(0);
	left = strcmp(how, "once") ? 2 : 1;
	epoll_set(outer, EPOLL_CTL_ADD, listener, strcmp(how, "once") ? EPOLLIN : EPOLLIN | EPOLLONESHOT);
	epoll_set(outer, EPOLL_CTL_ADD, inner,
		  !strcmp(how, "wrong")  ? EPOLLIN | EPOLLET
		  : !strcmp(how, "once") ? EPOLLIN | EPOLLONESHOT
					 : EPOLLIN);
	while (left) {
		struct epoll_event e = {0};
		CHECK(epoll_wait(outer, &e, 1, -1) == 1);
		if (e.data.fd == listener)
			take();
		else
			serve();
	}
	return 0;
}
