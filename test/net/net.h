/*
 * net.h: what the networked test programs want beyond guest.h: connecting, listening, reading and writing in one line.
 */
#ifndef NET_H
#define NET_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/socket.h>

#include "guest.h"

#define PORT 7000

static inline struct sockaddr_in loopback(int port)
{
	struct sockaddr_in a;
	memset(&a, 0, sizeof(a));
	a.sin_family = AF_INET;
	a.sin_port = htons((uint16_t)port);
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return a;
}

/* A connection to that port of this machine. */
static inline int dial(int port)
{
	struct sockaddr_in a = loopback(port);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	CHECK(fd >= 0);
	OK(connect(fd, (struct sockaddr *)&a, sizeof(a)));
	return fd;
}

static inline int listen_on(int port)
{
	struct sockaddr_in a = loopback(port);
	int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
	CHECK(fd >= 0);
	OK(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)));
	OK(bind(fd, (struct sockaddr *)&a, sizeof(a)));
	OK(listen(fd, 8));
	return fd;
}

static inline int take_client(int listener)
{
	int fd = accept(listener, NULL, NULL);
	CHECK(fd >= 0);
	return fd;
}

static inline void say(int fd, const char *text)
{
	CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
}

/* One read; what came, as a string. */
static inline char *hear(int fd, char *buffer, size_t room)
{
	ssize_t n = read(fd, buffer, room - 1);
	CHECK(n >= 0);
	buffer[n] = 0;
	return buffer;
}

/* Exactly this text comes next, however it is cut. */
static inline void hear_text(int fd, const char *text)
{
	char buffer[256];
	size_t n = 0, want = strlen(text);
	CHECK(want < sizeof(buffer));
	while (n < want) {
		ssize_t got = read(fd, buffer + n, want - n);
		CHECK(got > 0);
		n += (size_t)got;
	}
	CHECK(!memcmp(buffer, text, want));
}

/* A line without its end, byte by byte; 0: the connection ended before. */
static inline int hear_line(int fd, char *line, size_t room)
{
	for (size_t n = 0; n + 1 < room;) {
		if (read(fd, line + n, 1) <= 0)
			return 0;
		if (line[n] == '\n') {
			line[n] = 0;
			return 1;
		}
		n++;
	}
	return 0;
}

/* Nothing more comes: the peer has closed. */
static inline void hear_end(int fd)
{
	char c;
	CHECK(read(fd, &c, 1) == 0);
}

#endif
