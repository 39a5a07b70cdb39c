/*
 * peer_lines.c: one process, one thread, one connection after the other; the manner says how an answer is
 * given.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "peer.h"

int peer_line(int fd, char *out, size_t cap)
{
	size_t n = 0;
	char c;

	while (read(fd, &c, 1) == 1) {
		if (c == '\n') {
			out[n] = 0;
			return (int)n;
		}
		if (n + 1 < cap)
			out[n++] = c;
	}
	return -1;
}

void peer_write(int fd, const void *data, size_t n)
{
	const char *p = data;
	ssize_t w;

	while (n && ((w = write(fd, p, n)) > 0 || errno == EINTR))
		if (w > 0) {
			p += w;
			n -= (size_t)w;
		}
}

_Atomic int peer_answered;

void peer_answer(int fd, const char *line)
{
	char text[300];

	peer_answered = 1;
	peer_write(fd, text, (size_t)snprintf(text, sizeof(text), "re %s\n", line));
}

void peer_pause_ms(long ms)
{
	nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static void spin_ms(long ms)
{
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	do
		clock_gettime(CLOCK_MONOTONIC, &b);
	while ((b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000 < ms);
}

static void in_pieces(int fd, const char *line)
{
	peer_write(fd, "re ", 3);
	peer_pause_ms(3);
	peer_write(fd, line, strlen(line));
	peer_pause_ms(3);
	peer_write(fd, "\n", 1);
}

static void many_bytes(int fd, const char *line)
{
	size_t n = (size_t)atol(line);
	char *data = malloc(n);

	memset(data, 'x', n);
	peer_write(fd, data, n);
	free(data);
}

static void reset(int fd)
{
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &(struct linger){.l_onoff = 1}, sizeof(struct linger));
}

/* False: the connection is to be closed. */
static int answer_by(const char *manner, int fd, const char *line)
{
	if (strcmp(manner, "sleep") == 0)
		peer_pause_ms(20);
	if (strcmp(manner, "spin") == 0)
		spin_ms(5);
	if (strcmp(manner, "slow") == 0)
		peer_pause_ms(60000);
	if (strcmp(manner, "die") == 0)
		exit(3);
	if (strcmp(manner, "reset") == 0) {
		reset(fd);
		return 0;
	}
	if (strcmp(manner, "pieces") == 0)
		in_pieces(fd, line);
	else if (strcmp(manner, "big") == 0)
		many_bytes(fd, line);
	else
		peer_answer(fd, line);
	return strcmp(manner, "close") != 0;
}

static int wait_timed(const char *manner, int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	if (strcmp(manner, "timed") == 0)
		while (poll(&p, 1, 50) == 0)
			;
	return 1;
}

void serve_lines(int listener, const char *manner)
{
	char line[256];
	int fd;

	while (strcmp(manner, "unaccepting") == 0)
		pause();
	while ((fd = accept(listener, NULL, NULL)) >= 0) {
		if (strcmp(manner, "greet") == 0)
			peer_answer(fd, "welcome");
		while (strcmp(manner, "deaf") == 0)
			pause();
		while (wait_timed(manner, fd) && peer_line(fd, line, sizeof(line)) >= 0 &&
		       answer_by(manner, fd, line))
			;
		close(fd);
	}
}
