/*
 * A server with epoll whose clients' connections may be reset by the network (--net-faults reset): at the request, between
 * its bytes, before or after the answer. "wrong" takes a failed read for the end of the request and answers it: the
 * connection is gone, and SIGPIPE ends the server.
 *
 * heddle: verdict=verified client="@peer connect {port} send:hello~ want:hello" clients=2
 * heddle: verdict=verified options="--net-faults reset" client="@peer connect {port} send:hello~ want:hello" clients=2
 * heddle: verdict=bounded options="--net-faults reset --fault-budget 1" client="@peer connect {port} send:hello~ want:hello" clients=2
 * heddle: verdict=verified args=wrong client="@peer connect {port} send:hello~ want:hello" clients=1
 * heddle: verdict=violation kind=crash args=wrong options="--net-faults reset" client="@peer connect {port} send:hello~ want:hello" clients=1
 */
#include <stdbool.h>

#include "event.h"

#define CLIENTS_MAX 8

static int set, listener;
static bool wrong;
static struct request {
	int fd;
	size_t n;
	char text[16];
} request[CLIENTS_MAX];

static void answer(struct request *r)
{
	ssize_t n = send(r->fd, "hello\n", 6, wrong ? 0 : MSG_NOSIGNAL);
	CHECK(n == 6 || (n < 0 && (errno == ECONNRESET || errno == EPIPE)));
}

static void finish(struct request *r)
{
	OK(close(r->fd));
	memset(r, 0, sizeof(*r));
}

static void serve(struct request *r)
{
	ssize_t n = read(r->fd, r->text + r->n, sizeof(r->text) - r->n);
	if (n < 0 && errno == EAGAIN)
		return;
	if (n < 0) {
		CHECK(errno == ECONNRESET);
		if (wrong)
			answer(r);
		finish(r);
		return;
	}
	CHECK(n > 0);
	r->n += (size_t)n;
	if (r->text[r->n - 1] != '\n')
		return;
	answer(r);
	finish(r);
}

static void take(void)
{
	int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
	CHECK(fd >= 0 && fd < CLIENTS_MAX);
	request[fd].fd = fd;
	epoll_set(set, EPOLL_CTL_ADD, fd, EPOLLIN);
}

int main(int argc, char **argv)
{
	struct epoll_event e;
	wrong = argc > 1 && !strcmp(argv[1], "wrong");
	listener = nonblocking(listen_on(PORT));
	set = epoll_create1(0);
	epoll_set(set, EPOLL_CTL_ADD, listener, EPOLLIN);
	for (;;) {
		CHECK(epoll_wait(set, &e, 1, -1) == 1);
		if (e.data.fd == listener)
			take();
		else
			serve(&request[e.data.fd]);
	}
}
