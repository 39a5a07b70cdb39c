/* See net.h. */
#include "net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int net_arg(int argc, char **argv, int i, int fallback, int low, int high)
{
	char *end;
	long value;

	if (i >= argc)
		return fallback;
	value = strtol(argv[i], &end, 10);
	if (*argv[i] && !*end && value >= low && value <= high)
		return (int)value;
	fprintf(stderr, "%s: argument %d is %s, wanted is %d to %d\n", argv[0], i, argv[i], low, high);
	exit(1);
}

void net_must(bool ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(1);
}

pthread_t net_start(void *(*body)(void *), long arg)
{
	pthread_t thread;

	errno = pthread_create(&thread, NULL, body, (void *)arg);
	net_must(!errno, "pthread_create");
	return thread;
}

void net_join_all(const pthread_t *threads, int n)
{
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

int net_listen(int port)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	socklen_t len = sizeof at;
	int one = 1, fd = socket(AF_INET, SOCK_STREAM, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	net_must(fd >= 0, "socket");
	net_must(!setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one), "SO_REUSEADDR");
	net_must(!bind(fd, (struct sockaddr *)&at, sizeof at), "bind");
	net_must(!listen(fd, MAX_THREADS), "listen");
	net_must(!getsockname(fd, (struct sockaddr *)&at, &len), "getsockname");
	printf("listening on %d\n", ntohs(at.sin_port));
	fflush(stdout);
	return fd;
}

int net_accept(int listener)
{
	int fd = accept(listener, NULL, NULL);

	net_must(fd >= 0, "accept");
	return fd;
}

int net_connect(const char *host, int port)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	net_must(fd >= 0, "socket");
	errno = EINVAL;
	net_must(inet_pton(AF_INET, host, &to.sin_addr) == 1, host);
	net_must(!connect(fd, (struct sockaddr *)&to, sizeof to), "connect");
	return fd;
}

/* The descriptor is ours and open; only the other side may have gone. */
bool net_send(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = send(fd, data, len, MSG_NOSIGNAL);

		if (n < 0) {
			net_must(errno == EPIPE || errno == ECONNRESET, "send");
			return false;
		}
		data += n;
		len -= (size_t)n;
	}
	return true;
}

bool net_receive(int fd, char *data, size_t len)
{
	while (len) {
		ssize_t n = read(fd, data, len);

		if (n <= 0)
			return false;
		data += n;
		len -= (size_t)n;
	}
	return true;
}

size_t net_line(struct net_lines *in, char line[LINE_ROOM])
{
	size_t len;
	char *newline;

	while (!(newline = memchr(in->data, '\n', in->len))) {
		ssize_t n = read(in->fd, in->data + in->len, LINE_ROOM - in->len);

		if (n <= 0)
			return 0;
		in->len += (size_t)n;
	}
	len = (size_t)(newline - in->data) + 1;
	memcpy(line, in->data, len);
	in->len -= len;
	memmove(in->data, in->data + len, in->len);
	memset(in->data + in->len, 0, len);
	return len;
}
