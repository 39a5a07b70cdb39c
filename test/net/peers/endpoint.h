/*
 * endpoint.h: where a peer listens or connects: a port of 127.0.0.1 ("7000"), of ::1 ("6:7000"), or a path ("/tmp/x").
 */
#ifndef ENDPOINT_H
#define ENDPOINT_H

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static inline socklen_t endpoint_path(struct sockaddr_storage *a, const char *path)
{
	struct sockaddr_un *un = (struct sockaddr_un *)a;
	un->sun_family = AF_UNIX;
	snprintf(un->sun_path, sizeof(un->sun_path), "%s", path);
	return sizeof(*un);
}

static inline socklen_t endpoint_parse(struct sockaddr_storage *a, const char *text)
{
	memset(a, 0, sizeof(*a));
	if (strchr(text, '/'))
		return endpoint_path(a, text);
	if (!strncmp(text, "6:", 2)) {
		struct sockaddr_in6 *six = (struct sockaddr_in6 *)a;
		six->sin6_family = AF_INET6;
		six->sin6_port = htons((uint16_t)atoi(text + 2));
		six->sin6_addr = in6addr_loopback;
		return sizeof(*six);
	}
	struct sockaddr_in *four = (struct sockaddr_in *)a;
	four->sin_family = AF_INET;
	four->sin_port = htons((uint16_t)atoi(text));
	four->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return sizeof(*four);
}

static inline void endpoint_fail(const char *what, const char *text)
{
	fprintf(stderr, "%s %s: %s\n", what, text, strerror(errno));
	exit(1);
}

static inline int endpoint_listen(const char *text, int type)
{
	struct sockaddr_storage a;
	socklen_t len = endpoint_parse(&a, text);
	int fd = socket(a.ss_family, type, 0), on = 1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, len))
		endpoint_fail("listen on", text);
	if (type == SOCK_STREAM && listen(fd, 64))
		endpoint_fail("listen on", text);
	return fd;
}

/* Natively the server may not listen yet: a refused connection is tried again for a while. */
static inline int endpoint_connect(const char *text, int type)
{
	struct sockaddr_storage a;
	socklen_t len = endpoint_parse(&a, text);
	for (int tries = 0; tries < 500; tries++) {
		int fd = socket(a.ss_family, type, 0);
		if (fd >= 0 && !connect(fd, (struct sockaddr *)&a, len))
			return fd;
		if (errno != ECONNREFUSED && errno != ENOENT)
			break;
		close(fd);
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
	}
	endpoint_fail("connect to", text);
	return -1;
}

#endif
