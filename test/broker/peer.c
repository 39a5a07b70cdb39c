/*
 * peer.c: usage: peer MANNER ADDRESS, where ADDRESS is a port of 127.0.0.1, 6:PORT of ::1, udp:PORT or a
 * path. Manners that start with "client" connect to it, the others serve it.
 */
#include "peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static socklen_t parse(const char *text, struct sockaddr_storage *s, int *type)
{
	struct sockaddr_in *v4 = (void *)s;
	struct sockaddr_in6 *v6 = (void *)s;
	struct sockaddr_un *un = (void *)s;

	memset(s, 0, sizeof(*s));
	*type = strncmp(text, "udp:", 4) ? SOCK_STREAM : SOCK_DGRAM;
	if (text[0] == '/') {
		un->sun_family = AF_UNIX;
		strncpy(un->sun_path, text, sizeof(un->sun_path) - 1);
		return sizeof(*un);
	}
	if (strncmp(text, "6:", 2) == 0) {
		v6->sin6_family = AF_INET6;
		v6->sin6_addr = in6addr_loopback;
		v6->sin6_port = htons((uint16_t)atoi(text + 2));
		return sizeof(*v6);
	}
	v4->sin_family = AF_INET;
	v4->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	v4->sin_port = htons((uint16_t)atoi(*type == SOCK_DGRAM ? text + 4 : text));
	return sizeof(*v4);
}

static int at(const char *address, int connecting)
{
	struct sockaddr_storage s;
	int type;
	socklen_t n = parse(address, &s, &type);
	int fd = socket(s.ss_family, type, 0);

	if (!connecting)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
	if (connecting ? connect(fd, (struct sockaddr *)&s, n)
		       : bind(fd, (struct sockaddr *)&s, n) || (type == SOCK_STREAM && listen(fd, 16))) {
		perror(address);
		exit(4);
	}
	return fd;
}

static void *ticks(void *arg)
{
	for (;;)
		peer_pause_ms((long)arg);
	return NULL;
}

/* Ticks, but after the first answer hardly ever. */
static void *tires(void *arg)
{
	for (;;)
		peer_pause_ms(peer_answered ? 3600000 : 10);
	return arg;
}

static void serve_datagrams(const char *manner, int fd)
{
	struct sockaddr_storage from;
	char data[2048] = "re ";
	ssize_t n;
	socklen_t len = sizeof(from);

	while (strcmp(manner, "deaf") == 0)
		pause();
	while ((n = recvfrom(fd, data + 3, sizeof(data) - 3, 0, (struct sockaddr *)&from, &len)) >= 0) {
		if (strcmp(manner, "sleep") == 0)
			peer_pause_ms(10);
		sendto(fd, data, (size_t)n + 3, 0, (struct sockaddr *)&from, len);
		len = sizeof(from);
	}
}

/* More than a socket keeps. */
static void flood(int fd)
{
	static char data[FLOOD_BYTES];

	for (int i = 0; i < FLOOD; i++)
		send(fd, data, sizeof(data), 0);
}

static int client(const char *manner, const char *address)
{
	char line[256];
	int fd;

	if (strcmp(manner, "client-ends") == 0) {
		fprintf(stderr, "no, thank you\n");
		return 3;
	}
	while (strcmp(manner, "client-rests") == 0)
		pause();
	if (strcmp(manner, "client-slowly") == 0)
		peer_pause_ms(30);
	fd = at(address, 1);
	if (strcmp(manner, "client-floods") == 0)
		flood(fd);
	peer_answer(fd, "hello");
	if (strcmp(manner, "client-both") == 0)
		peer_answer(at(address, 1), "hello");
	while (peer_line(fd, line, sizeof(line)) >= 0) {
		if (strcmp(manner, "client-twice") == 0)
			at(address, 1);
		peer_answer(fd, line);
	}
	return 0;
}

static void serve(const char *manner, int fd)
{
	static const struct {
		const char *name;
		void (*serve)(int listener);
	} table[] = {
		{"threads", serve_threads}, {"forks", serve_forks}, {"epoll", serve_epoll},
		{"pool", serve_pool},       {"ring", serve_ring},   {"child", serve_child},
		{"poller", serve_poller},   {"chat", serve_chat},   {"echo", serve_echo},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (strcmp(table[i].name, manner) == 0)
			table[i].serve(fd);
	serve_lines(fd, manner);
}

int main(int argc, char **argv)
{
	pthread_t t;

	signal(SIGPIPE, SIG_IGN);
	if (argc != 3)
		return 2;
	if (strncmp(argv[1], "client", 6) == 0)
		return client(argv[1], argv[2]);
	if (strncmp(argv[2], "udp:", 4) == 0)
		serve_datagrams(argv[1], at(argv[2], 0));
	if (strcmp(argv[1], "ticker") == 0)
		pthread_create(&t, NULL, ticks, (void *)10L);
	if (strcmp(argv[1], "housekeeper") == 0)
		pthread_create(&t, NULL, ticks, (void *)1000L);
	if (strcmp(argv[1], "tires") == 0)
		pthread_create(&t, NULL, tires, NULL);
	if (strcmp(argv[1], "loafer") == 0)
		peer_pause_ms(30);
	if (strcmp(argv[1], "dead") == 0) {
		fprintf(stderr, "cannot serve\n");
		return 7;
	}
	serve(argv[1], at(argv[2], 0));
	return 0;
}
