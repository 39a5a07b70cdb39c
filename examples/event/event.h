/*
 * event.h: what the event-driven programs of this folder share.
 */
#ifndef EXAMPLES_EVENT_H
#define EXAMPLES_EVENT_H

#include "../net/net.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_CONNECTIONS 100

static inline void event_nonblocking(int fd)
{
	net_must(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) == 0, "fcntl");
}

static inline bool event_again(void)
{
	return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

/* A connection of an alphabet server: the request so far, and the answer that is not sent yet. */
struct alphabet {
	int fd;
	size_t in, out, sent;
	char request[8], answer[64];
};

static inline char alphabet_letter(int k)
{
	return k >= 1 && k <= 26 ? (char)('a' + k - 1) : '?';
}

/* Reads what is there, and prepares the answers. false: the client has left. */
static inline bool alphabet_read(struct alphabet *a)
{
	ssize_t n = read(a->fd, a->request + a->in, sizeof a->request - 1 - a->in);

	if (n < 0)
		return event_again();
	if (n == 0)
		return false;
	a->in += (size_t)n;
	for (char *end; (end = memchr(a->request, '\n', a->in));) {
		size_t line = (size_t)(end + 1 - a->request);

		a->answer[a->out++] = alphabet_letter(atoi(a->request));
		a->answer[a->out++] = '\n';
		a->in -= line;
		memmove(a->request, end + 1, a->in);
		memset(a->request + a->in, 0, sizeof a->request - a->in);
	}
	return a->in < sizeof a->request - 1;
}

/* Sends what there is room for. false: nobody reads any more. */
static inline bool alphabet_write(struct alphabet *a)
{
	while (a->sent < a->out) {
		ssize_t n = send(a->fd, a->answer + a->sent, a->out - a->sent, MSG_NOSIGNAL);

		if (n < 0)
			return event_again();
		a->sent += (size_t)n;
	}
	memset(a->answer, 0, sizeof a->answer);
	a->out = a->sent = 0;
	return true;
}

#endif
