/*
 * event.h: what the event-driven test programs want beyond net.h: non-blocking descriptors, epoll in one line, lines
 * that are put together from pieces.
 */
#ifndef EVENT_H
#define EVENT_H

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/timerfd.h>

#include "net.h"

static inline int nonblocking(int fd)
{
	int flags = fcntl(fd, F_GETFL);
	CHECK(flags >= 0);
	OK(fcntl(fd, F_SETFL, flags | O_NONBLOCK));
	return fd;
}

static inline void epoll_set(int set, int how, int fd, uint32_t events)
{
	struct epoll_event e = {.events = events, .data.fd = fd};
	OK(epoll_ctl(set, how, fd, &e));
}

/* What has come of a line; whole: 1, not yet: 0, the end: -1. Reads what is there, up to EAGAIN. */
struct line {
	char text[64];
	size_t n;
};

static inline int line_goes_on(struct line *l, int fd)
{
	for (;;) {
		ssize_t n = read(fd, l->text + l->n, 1);
		if (n < 0) {
			CHECK(errno == EAGAIN);
			return 0;
		}
		if (n == 0)
			return -1;
		if (l->text[l->n] == '\n') {
			l->text[l->n] = 0;
			l->n = 0;
			return 1;
		}
		CHECK(++l->n < sizeof(l->text));
	}
}

#endif
