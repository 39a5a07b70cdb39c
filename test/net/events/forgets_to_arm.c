/*
 * A one-shot connection has to be armed again after each event. "wrong": not where the request is not complete yet; client and
 * server then wait for each other, although the server's set asks for nothing. "later": not behind the answer; the client's
 * second request is never read. If it has none, only its leaving is not noticed: the
 * server waits for nothing at all.
 *
 * heddle: verdict=verified client="@peer connect {port} send:hello~ want:ok send:hello~ want:ok"
 * heddle: verdict=violation kind=comm-deadlock message~="disabled" args=wrong client="@peer connect {port} send:hello~ want:ok"
 * heddle: verdict=verified args=wrong options="--short-io off" client="@peer connect {port} send:hello~ want:ok"
 * heddle: verdict=violation kind=comm-deadlock args=later client="@peer connect {port} send:hello~ want:ok send:hello~ want:ok"
 * heddle: verdict=violation kind=deadlock args=later client="@peer connect {port} send:hello~ want:ok"
 */
#include "event.h"

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	int listener = listen_on(PORT), set = epoll_create1(0), fd = nonblocking(take_client(listener));
	struct line request = {0};
	epoll_set(set, EPOLL_CTL_ADD, fd, EPOLLIN | EPOLLONESHOT);
	for (;;) {
		struct epoll_event e;
		CHECK(epoll_wait(set, &e, 1, -1) == 1);
		int got = line_goes_on(&request, fd);
		if (got < 0)
			break;
		if (got)
			say(fd, "ok\n");
		if (strcmp(how, got ? "later" : "wrong"))
			epoll_set(set, EPOLL_CTL_MOD, fd, EPOLLIN | EPOLLONESHOT);
	}
	OK(close(fd));
	return 0;
}
