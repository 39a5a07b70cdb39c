#include "play_selector.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "play_address.h"

#define FDS 9 /* descriptors 3 to 11 */

static void add(struct answer *out, const void *p, size_t n)
{
	if (out->len + n > sizeof out->data)
		abort();
	memcpy(out->data + out->len, p, n);
	out->len += n;
}

#define PLAY(f) static void f(kernel *k, const struct step *s, struct answer *out)
#define K(nr, ...) kernel_call(k, nr, (long[6]){__VA_ARGS__})

static long kernel_call(kernel *k, long nr, const long *a)
{
	return k(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* ---- things to watch ---- */

PLAY(play_pair)
{
	(void)s;
	int fds[2] = {-1, -1};
	out->ret = K(SYS_socketpair, AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, (long)fds);
	add(out, fds, sizeof fds);
}

PLAY(play_pipe)
{
	(void)s;
	int fds[2] = {-1, -1};
	out->ret = K(SYS_pipe2, (long)fds, O_NONBLOCK);
	add(out, fds, sizeof fds);
}

PLAY(play_eventfd)
{
	out->ret = K(SYS_eventfd2, s->n % 3, EFD_NONBLOCK | (s->n & 4 ? EFD_SEMAPHORE : 0));
}

/* A listener, a connection to it, accepted. */
PLAY(play_connection)
{
	union any_address a;
	int one = 1;
	socklen_t len = address_make(ADDRESS_4, &a);
	long listener = K(SYS_socket, AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	long client = K(SYS_socket, AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	K(SYS_setsockopt, listener, SOL_SOCKET, SO_REUSEADDR, (long)&one, sizeof one);
	long bound = K(SYS_bind, listener, (long)&a, len);
	long listens = K(SYS_listen, listener, 8);
	add(out, &bound, sizeof bound);
	add(out, &listens, sizeof listens);
	long connects = bound || listens ? 0 : K(SYS_connect, client, (long)&a, len);
	add(out, &connects, sizeof connects);
	out->ret = s->n % 3 ? K(SYS_accept4, listener, 0, 0, SOCK_NONBLOCK) : 0;
}

PLAY(play_accept)
{
	out->ret = K(SYS_accept4, s->fd, 0, 0, SOCK_NONBLOCK);
}

/* ---- selectors ---- */

PLAY(play_create)
{
	out->ret = K(SYS_epoll_create1, s->n % 16 ? 0 : EPOLL_CLOEXEC);
}

static uint32_t events_of(uint32_t n)
{
	static const uint32_t some[] = {EPOLLIN,
					EPOLLIN,
					EPOLLIN | EPOLLOUT,
					EPOLLOUT,
					EPOLLIN | EPOLLRDHUP,
					0,
					EPOLLIN | EPOLLET,
					EPOLLIN | EPOLLRDHUP | EPOLLET,
					EPOLLIN | EPOLLONESHOT,
					EPOLLIN | EPOLLET | EPOLLONESHOT,
					EPOLLIN | EPOLLEXCLUSIVE};
	return some[n % (sizeof some / sizeof some[0])];
}

static void ctl(kernel *k, const struct step *s, struct answer *out, int op)
{
	struct epoll_event e = {.events = events_of(s->n), .data.u32 = (uint32_t)s->fd2};
	out->ret = K(SYS_epoll_ctl, s->fd, op, s->fd2, (long)&e);
}

PLAY(play_add)
{
	ctl(k, s, out, EPOLL_CTL_ADD);
}

PLAY(play_modify)
{
	ctl(k, s, out, EPOLL_CTL_MOD);
}

PLAY(play_delete)
{
	ctl(k, s, out, s->n % 16 ? EPOLL_CTL_DEL : 7);
}

PLAY(play_wait)
{
	struct epoll_event e[8] = {0};
	int room = s->n % 4 ? 8 : (int)(s->n >> 2) % 4;
	out->ret = K(SYS_epoll_wait, s->fd, (long)e, room, 0);
	add(out, e, sizeof e);
}

PLAY(play_poll)
{
	struct pollfd p[2] = {{.fd = s->fd, .events = (short)(s->n & 0x3fff)},
			      {.fd = s->fd2, .events = POLLIN | POLLOUT | POLLRDHUP}};
	out->ret = K(SYS_poll, (long)p, 2, 0);
	add(out, p, sizeof p);
}

PLAY(play_select)
{
	fd_set sets[3];
	struct timeval now = {0};
	for (int i = 0; i < 3; i++)
		FD_ZERO(&sets[i]);
	for (int fd = 3; fd < 12; fd++)
		for (int i = 0; i < 3; i++)
			if ((s->n ^ s->flags) >> (fd - 3 + 3 * i) % 16 & 1 && (fd == s->fd || fd == s->fd2))
				FD_SET(fd, &sets[i]);
	out->ret = K(SYS_select, 12, (long)&sets[0], (long)&sets[1], (long)&sets[2], (long)&now);
	for (int i = 0; i < 3; i++)
		add(out, &sets[i], 8);
}

/* ---- what happens to them ---- */

PLAY(play_write)
{
	char data[8] = {1, 0, 0, 0, 0, 0, 0, 0};
	out->ret = K(SYS_write, s->fd, (long)data, s->n % 4 ? 8 : 1 + (long)(s->n >> 2) % 7);
}

PLAY(play_read)
{
	char data[16] = {0};
	out->ret = K(SYS_read, s->fd, (long)data, s->n % 2 ? 8 : 16);
	add(out, data, sizeof data);
}

PLAY(play_shutdown)
{
	out->ret = K(SYS_shutdown, s->fd, s->n % 3);
}

PLAY(play_close)
{
	out->ret = K(SYS_close, s->fd);
}

PLAY(play_dup)
{
	out->ret = s->n % 2 ? K(SYS_dup, s->fd) : K(SYS_dup2, s->fd, s->fd2);
}

/* ---- the list ---- */

static const struct play plays[] = {
	{"pair", play_pair, 3},
	{"pipe", play_pipe, 2},
	{"eventfd", play_eventfd, 4},
	{"accept", play_accept, 1},
	{"connection", play_connection, 2},
	{"create", play_create, 5},
	{"add", play_add, 16},
	{"modify", play_modify, 5},
	{"delete", play_delete, 2},
	{"wait", play_wait, 16},
	{"poll", play_poll, 4},
	{"select", play_select, 3},
	{"write", play_write, 10},
	{"read", play_read, 8},
	{"shutdown", play_shutdown, 2},
	{"close", play_close, 3},
	{"dup", play_dup, 3},
};
#define PLAYS (sizeof plays / sizeof plays[0])

struct step random_selector_step(uint64_t *rng)
{
	struct step s = {
		.op = pick_play(rng, plays, PLAYS),
		.fd = (int8_t)(3 + pick(rng, FDS)),
		.fd2 = (int8_t)(3 + pick(rng, FDS)),
		.n = (uint32_t)random_next(rng) & 0xffff,
		.flags = (uint32_t)random_next(rng) & 0xffff,
	};
	if (pick(rng, 40) == 0)
		s.fd = (int8_t)(pick(rng, 2) ? -1 : 100);
	return s;
}

void play_selector_step(kernel *k, const struct step *s, struct answer *out)
{
	memset(out, 0, sizeof *out);
	plays[s->op].play(k, s, out);
}

void print_selector_step(FILE *to, const struct step *s)
{
	fprintf(to, "%-10s fd %d fd2 %d n %u flags %u\n", plays[s->op].call, s->fd, s->fd2, s->n, s->flags);
}
