/*
 * net.h: what the programs of this folder share: arguments, threads, sockets on the loopback
 * interface, lines. Whatever cannot go on prints why and leaves the program with status 1.
 */
#ifndef EXAMPLES_NET_H
#define EXAMPLES_NET_H

#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef FAULT
#undef FAULT
#define FAULT 1
#else
#define FAULT 0
#endif

#define MAX_THREADS 64
#define LINE_ROOM 64

/* Argument i of the command line, `fallback` if it is absent. */
int net_arg(int argc, char **argv, int i, int fallback, int low, int high);
/* Leave the program unless ok; errno tells why it is not. */
void net_must(bool ok, const char *what);

pthread_t net_start(void *(*body)(void *), long arg);
void net_join_all(const pthread_t *threads, int n);

/* Port 0: a free one. Prints "listening on PORT", for whoever waits for it. */
int net_listen(int port);
int net_accept(int listener);
int net_connect(const char *host, int port);

/* One write() if the kernel takes all of it, as it does with short messages. false: nobody reads any more. */
bool net_send(int fd, const char *data, size_t len);
/* Exactly len bytes. false: they ended before that. */
bool net_receive(int fd, char *data, size_t len);

/* Reads lines from a descriptor; zeroed but for fd at first. A line that comes at once costs one read(). */
struct net_lines {
	int fd;
	size_t len; /* bytes in data beyond the last line given out */
	char data[LINE_ROOM];
};
/* The next line with its newline; its length, or 0: there is none, or it is too long. */
size_t net_line(struct net_lines *in, char line[LINE_ROOM]);

#endif
