/*
 * A long answer, of which the send buffer may take a part: the rest waits for EPOLLOUT. "wrong": it is not asked for, and the
 * client, which has the beginning, waits for ever, although the server looks idle.
 *
 * heddle: verdict=verified client="@peer connect {port} send:go~ take:8999" clients=1
 * heddle: verdict=violation kind=comm-deadlock message~="client 1 was sent a part of a message" args=wrong client="@peer connect {port} send:go~ take:8999" clients=1
 * heddle: verdict=verified args=wrong options="--write always" client="@peer connect {port} send:go~ take:8999" clients=1
 */
#include "event.h"

#define LONG 8999

static struct {
	int fd;
	size_t sent, size;
	char text[LONG];
} out;

static void send_more(int set, int wrong)
{
	ssize_t n = send(out.fd, out.text + out.sent, out.size - out.sent, MSG_NOSIGNAL);
	CHECK(n > 0 || errno == EAGAIN);
	out.sent += n > 0 ? (size_t)n : 0;
	if (out.sent == out.size) {
		out.sent = out.size = 0;
		memset(out.text, 0, LONG);
	}
	epoll_set(set, EPOLL_CTL_MOD, out.fd, out.size && !wrong ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

int main(int argc, char **argv)
{
	int wrong = argc > 1 && !strcmp(argv[1], "wrong"), set = epoll_create1(0), listener = listen_on(PORT);
	struct line request = {0};
	out.fd = nonblocking(take_client(listener));
	epoll_set(set, EPOLL_CTL_ADD, out.fd, EPOLLIN);
	for (;;) {
		struct epoll_event e;
		CHECK(epoll_wait(set, &e, 1, -1) == 1);
		int got = e.events & EPOLLIN ? line_goes_on(&request, out.fd) : 0;
		if (got < 0)
			break;
		if (got) {
			memset(out.text, 'x', LONG);
			out.size = LONG;
		}
		if (out.size)
			send_more(set, wrong);
	}
	OK(close(out.fd));
	return 0;
}
