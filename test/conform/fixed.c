#include "fixed.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "play_address.h"

#define K(nr, ...) kernel_call(k, nr, (long[6]){__VA_ARGS__})

static long kernel_call(kernel *k, long nr, const long *a)
{
	return k(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* A full pipe, in whole pages: there the two count alike. */
static int full_pipe(kernel *k, long *out)
{
	static char page[65536];
	struct pollfd p = {.events = POLLOUT};
	int fds[2], n = 0;
	K(SYS_pipe2, (long)fds, O_NONBLOCK);
	p.fd = fds[1];
	for (int i = 0; i < 17; i++)
		out[n++] = K(SYS_write, fds[1], (long)page, 4096);
	out[n++] = K(SYS_poll, (long)&p, 1);
	out[n++] = K(SYS_write, fds[1], (long)page, 1);
	out[n++] = K(SYS_read, fds[0], (long)page, 4096);
	out[n++] = K(SYS_poll, (long)&p, 1);
	out[n++] = K(SYS_write, fds[1], (long)page, 8192);
	out[n++] = K(SYS_read, fds[0], (long)page, 65536);
	out[n++] = K(SYS_write, fds[1], (long)page, 65536);
	out[n++] = K(SYS_fcntl, fds[1], F_SETFL, 0);
	out[n++] = K(SYS_write, fds[1], (long)page, 1);
	return n;
}

/* Shut down, a listener gives back a port that the kernel chose, but not one that bind was given. */
static int former_listener(kernel *k, long *out)
{
	union any_address a;
	int n = 0, one = 1;
	socklen_t len = address_make(ADDRESS_4, &a);
	for (int named = 0; named < 2; named++) {
		long fd = K(SYS_socket, AF_INET, SOCK_STREAM);
		K(SYS_setsockopt, fd, SOL_SOCKET, SO_REUSEADDR, (long)&one, sizeof(one));
		out[n++] = named ? K(SYS_bind, fd, (long)&a, len) : 0;
		out[n++] = K(SYS_listen, fd, 8);
		out[n++] = K(SYS_shutdown, fd, SHUT_RDWR);
		out[n++] = K(SYS_bind, fd, (long)&a, len);
		out[n++] = K(SYS_listen, fd, 8);
		out[n++] = K(SYS_shutdown, fd, SHUT_RDWR);
		out[n++] = K(SYS_bind, fd, (long)&a, len);
		out[n++] = K(SYS_close, fd);
	}
	return n;
}

/* One description by several numbers in a set: in which order they hear of news. */
static int numbers_of_one(kernel *k, long *out)
{
	static const uint32_t how[] = {EPOLLIN, EPOLLIN | EPOLLEXCLUSIVE, EPOLLIN, EPOLLIN | EPOLLEXCLUSIVE,
				       EPOLLIN};
	enum { NUMBERS = sizeof(how) / sizeof(how[0]) };
	struct epoll_event e[NUMBERS];
	uint64_t one = 1;
	long set = K(SYS_epoll_create1, 0), fd = K(SYS_eventfd2, 0, EFD_NONBLOCK);
	int n = 0;
	for (int i = 0; i < NUMBERS; i++) {
		e[0] = (struct epoll_event){.events = how[i], .data.u32 = (uint32_t)i};
		out[n++] = K(SYS_epoll_ctl, set, EPOLL_CTL_ADD, i ? K(SYS_dup, fd) : fd, (long)&e[0]);
	}
	for (int round = 0; round < 2; round++) {
		out[n++] = K(SYS_write, fd, (long)&one, 8);
		long got = out[n++] = K(SYS_epoll_wait, set, (long)e, NUMBERS, 0);
		for (long i = 0; i < got; i++)
			out[n++] = e[i].data.u32;
		out[n++] = K(SYS_read, fd, (long)&one, 8);
		out[n++] = K(SYS_epoll_wait, set, (long)e, NUMBERS, 0);
		out[n++] = K(SYS_epoll_ctl, set, EPOLL_CTL_DEL, fd + 2); /* one from the middle */
	}
	return n;
}

/* A set inside a set: asked for EPOLLRDNORM it is silent, unless it is ready when it is added. */
static int set_in_set(kernel *k, long *out)
{
	static const uint32_t how[] = {EPOLLIN, EPOLLRDNORM, EPOLLIN | EPOLLRDNORM};
	struct epoll_event e = {.events = EPOLLIN};
	uint64_t one = 1;
	int n = 0;
	for (int i = 0; i < 6; i++) {
		long outer = K(SYS_epoll_create1, 0), inner = K(SYS_epoll_create1, 0);
		long fd = K(SYS_eventfd2, 0, EFD_NONBLOCK);
		struct epoll_event u = {.events = how[i % 3]};
		struct pollfd p = {.fd = (int)outer, .events = POLLIN};
		out[n++] = K(SYS_epoll_ctl, inner, EPOLL_CTL_ADD, fd, (long)&e);
		if (i < 3)
			out[n++] = K(SYS_epoll_ctl, outer, EPOLL_CTL_ADD, inner, (long)&u);
		out[n++] = K(SYS_write, fd, (long)&one, 8);
		if (i >= 3)
			out[n++] = K(SYS_epoll_ctl, outer, EPOLL_CTL_ADD, inner, (long)&u);
		out[n++] = K(SYS_poll, (long)&p, 1, 0);
		out[n++] = K(SYS_epoll_wait, outer, (long)&u, 1, 0);
		out[n++] = u.events;
	}
	return n;
}

/* A shutdown that fails, of a socket with no connection, is an edge all the same. */
static int shutdown_in_vain(kernel *k, long *out)
{
	struct epoll_event e = {.events = EPOLLIN | EPOLLRDHUP | EPOLLET};
	long set = K(SYS_epoll_create1, 0), fd = K(SYS_socket, AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	int n = 0;
	out[n++] = K(SYS_epoll_ctl, set, EPOLL_CTL_ADD, fd, (long)&e);
	for (int how = SHUT_RD; how <= SHUT_RDWR; how++) {
		e.events = 0;
		out[n++] = K(SYS_epoll_wait, set, (long)&e, 1, 0);
		out[n++] = e.events;
		out[n++] = K(SYS_shutdown, fd, how);
	}
	out[n++] = K(SYS_epoll_wait, set, (long)&e, 1, 0);
	out[n++] = e.events;
	return n;
}

/* After a connect that did not wait, another one says 0 once: not if the socket was shut down meanwhile. */
static int connect_after_shutdown(kernel *k, long *out)
{
	union any_address a;
	int n = 0, one = 1;
	socklen_t len = address_make(ADDRESS_4, &a);
	long listener = K(SYS_socket, AF_INET, SOCK_STREAM, 0);
	K(SYS_setsockopt, listener, SOL_SOCKET, SO_REUSEADDR, (long)&one, sizeof(one));
	out[n++] = K(SYS_bind, listener, (long)&a, len);
	out[n++] = K(SYS_listen, listener, 8);
	for (int shuts = 0; shuts < 2; shuts++) {
		long fd = K(SYS_socket, AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		out[n++] = K(SYS_connect, fd, (long)&a, len);
		if (shuts)
			out[n++] = K(SYS_shutdown, fd, SHUT_WR);
		out[n++] = K(SYS_connect, fd, (long)&a, len);
		out[n++] = K(SYS_connect, fd, (long)&a, len);
		out[n++] = K(SYS_close, fd);
	}
	return n;
}

/* A connection that is reset before a second connect asks for it: that one is told, and it is like new. */
static int connect_after_reset(kernel *k, long *out)
{
	union any_address a, own;
	int n = 0, one = 1;
	socklen_t len = address_make(ADDRESS_4, &a), size = sizeof(own);
	for (int told = 0; told < 3; told++) {
		long listener = K(SYS_socket, AF_INET, SOCK_STREAM, 0);
		long fd = K(SYS_socket, AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		K(SYS_setsockopt, listener, SOL_SOCKET, SO_REUSEADDR, (long)&one, sizeof(one));
		out[n++] = K(SYS_bind, listener, (long)&a, len);
		out[n++] = K(SYS_listen, listener, 8);
		out[n++] = K(SYS_connect, fd, (long)&a, len);
		out[n++] = K(SYS_close, listener);
		if (told == 2)
			out[n++] = K(SYS_shutdown, fd, SHUT_WR);
		if (told == 1)
			out[n++] = K(SYS_recvfrom, fd, (long)&own, 1, 0, 0, 0);
		out[n++] = K(SYS_connect, fd, (long)&a, len);
		out[n++] = K(SYS_getsockname, fd, (long)&own, (long)&size);
		out[n++] = own.in.sin_addr.s_addr;
		out[n++] = K(SYS_getpeername, fd, (long)&own, (long)&size);
		out[n++] = K(SYS_shutdown, fd, SHUT_WR);
		out[n++] = K(SYS_close, fd);
	}
	return n;
}

/* Reading from a pipe is an edge for who writes to it, if it was full. */
static int room_in_pipe(kernel *k, long *out)
{
	static char page[65536];
	struct epoll_event e = {.events = EPOLLOUT | EPOLLET};
	int fds[2], n = 0;
	long set = K(SYS_epoll_create1, 0);
	K(SYS_pipe2, (long)fds, O_NONBLOCK);
	out[n++] = K(SYS_epoll_ctl, set, EPOLL_CTL_ADD, fds[1], (long)&e);
	for (int full = 0; full < 2; full++) {
		out[n++] = K(SYS_epoll_wait, set, (long)&e, 1, 0);
		out[n++] = K(SYS_write, fds[1], (long)page, full ? 65536 : 4096);
		out[n++] = K(SYS_epoll_wait, set, (long)&e, 1, 0);
		out[n++] = K(SYS_read, fds[0], (long)page, 4096);
		out[n++] = K(SYS_epoll_wait, set, (long)&e, 1, 0);
	}
	return n;
}

/* A datagram that can't be sent: that it is taken back is an edge. */
static int datagram_taken_back(kernel *k, long *out)
{
	struct epoll_event e = {.events = EPOLLOUT | EPOLLET};
	union any_address a;
	int n = 0;
	socklen_t len = address_make(ADDRESS_UNIX, &a);
	long set = K(SYS_epoll_create1, 0), fd = K(SYS_socket, AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	out[n++] = K(SYS_epoll_ctl, set, EPOLL_CTL_ADD, fd, (long)&e);
	for (int i = 0; i < 4; i++) {
		out[n++] = K(SYS_epoll_wait, set, (long)&e, 1, 0);
		out[n++] = K(SYS_sendto, fd, i == 2 ? 8 : (long)&a, 1, MSG_NOSIGNAL, i ? (long)&a : 0,
			     i ? len : 0);
		if (i == 2)
			out[n++] = K(SYS_shutdown, fd, SHUT_WR);
	}
	out[n++] = K(SYS_epoll_wait, set, (long)&e, 1, 0);
	return n;
}

/* A datagram to where nobody is: who is connected to that place is told, and by an edge. */
static int datagram_to_nobody(kernel *k, long *out)
{
	struct epoll_event e = {.events = EPOLLIN | EPOLLET};
	union any_address a;
	int n = 0;
	socklen_t len = address_make(ADDRESS_4, &a);
	long set = K(SYS_epoll_create1, 0), outer = K(SYS_epoll_create1, 0);
	long fd = K(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	struct pollfd p = {.fd = (int)outer, .events = POLLIN};
	out[n++] = K(SYS_connect, fd, (long)&a, len);
	out[n++] = K(SYS_epoll_ctl, set, EPOLL_CTL_ADD, fd, (long)&e);
	out[n++] = K(SYS_epoll_ctl, outer, EPOLL_CTL_ADD, set, (long)&e);
	out[n++] = K(SYS_sendto, fd, (long)&a, 1, 0, 0, 0);
	out[n++] = K(SYS_poll, (long)&p, 1, 0);
	for (int i = 0; i < 2; i++) {
		e.events = 0;
		out[n++] = K(SYS_epoll_wait, set, (long)&e, 1, 0);
		out[n++] = e.events;
		out[n++] = K(SYS_recvfrom, fd, (long)&e, 1, 0, 0, 0);
	}
	return n;
}

/* A datagram that a socket of any address sends to itself by IPv4 and by IPv6: where it comes from. */
static int datagram_to_itself(kernel *k, long *out)
{
	static const unsigned to[] = {1, 5}; /* 127.0.0.1, :: */
	union any_address a;
	int n = 0;
	long fd = K(SYS_socket, AF_INET6, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	socklen_t len = address_make(5, &a);
	out[n++] = K(SYS_bind, fd, (long)&a, len);
	for (int i = 0; i < 2; i++) {
		char byte = 'x';
		len = address_make(to[i], &a);
		out[n++] = K(SYS_sendto, fd, (long)&byte, 1, 0, (long)&a, len);
		len = sizeof(a);
		out[n++] = K(SYS_recvfrom, fd, (long)&byte, 1, 0, (long)&a, (long)&len);
		for (int at = 0; at < 16; at++)
			out[n++] = a.in6.sin6_addr.s6_addr[at];
	}
	return n;
}

static int tell_own_ip(kernel *k, long fd, long *out)
{
	union any_address a = {0};
	socklen_t len = sizeof(a);
	int n = 0;
	out[n++] = K(SYS_getsockname, fd, (long)&a, (long)&len);
	memcpy(out + n, &a.in6.sin6_addr, sizeof(a.in6.sin6_addr));
	return n + 2;
}

/*
 * A socket of IPv6 that is connected to IPv6, to IPv4 and back: its own address stays that of the first, it
 * sends from one that fits, and hears of refusals and answers only where the two are the same.
 */
static int connected_by_turns(kernel *k, long *out)
{
	static const unsigned turns[] = {4, 1, 4, 6, 0};
	int n = 0;
	for (int bound = 0; bound < 2; bound++) {
		union any_address a;
		char byte = 'x';
		long fd = K(SYS_socket, AF_INET6, SOCK_DGRAM | SOCK_NONBLOCK, 0);
		long four = K(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
		socklen_t len = address_make(5, &a);
		if (bound)
			out[n++] = K(SYS_bind, fd, (long)&a, len);
		for (int i = 0; i < 5; i++) {
			len = address_make(turns[i], &a);
			out[n++] = K(SYS_connect, fd, (long)&a, len);
			n += tell_own_ip(k, fd, out + n);
			if (i == 3) { /* somebody is there, from now on */
				len = address_make(ADDRESS_4, &a);
				out[n++] = K(SYS_bind, four, (long)&a, len);
			}
			out[n++] = K(SYS_sendto, fd, (long)&byte, 1, 0, 0, 0);
			out[n++] = K(SYS_recvfrom, fd, (long)&byte, 1, 0, 0, 0);
			len = sizeof(a);
			out[n++] = K(SYS_recvfrom, four, (long)&byte, 1, 0, (long)&a, (long)&len);
			if (out[n - 1] != 1)
				continue;
			out[n++] = a.in.sin_addr.s_addr;
			out[n++] = K(SYS_sendto, four, (long)&byte, 1, 0, (long)&a, len);
			out[n++] = K(SYS_recvfrom, fd, (long)&byte, 1, 0, 0, 0);
		}
		K(SYS_close, fd);
		K(SYS_close, four);
	}
	return n;
}

/* A connection of datagrams is ended: what connect gave is gone, what bind gave stays; and who is heard. */
static int connection_ended(kernel *k, long *out)
{
	static const unsigned own[] = {5, 4, 6}, to[] = {4, 1};
	const struct sockaddr none = {.sa_family = AF_UNSPEC};
	int n = 0;
	for (int i = 0; i < 6; i++) {
		union any_address a;
		char byte = 'x';
		long fd = K(SYS_socket, AF_INET6, SOCK_DGRAM | SOCK_NONBLOCK, 0);
		long other = K(SYS_socket, AF_INET6, SOCK_DGRAM | SOCK_NONBLOCK, 0);
		socklen_t len = address_make(own[i % 3], &a);
		in_port_t port = address_port(&a);
		out[n++] = K(SYS_bind, fd, (long)&a, len);
		len = address_make(to[i / 3], &a);
		out[n++] = K(SYS_connect, fd, (long)&a, len);
		out[n++] = K(SYS_connect, fd, (long)&none, sizeof(none));
		n += tell_own_ip(k, fd, out + n);
		for (int by = 0; by < 2; by++) { /* IPv4, IPv6 */
			len = address_make(by ? 4 : 0, &a);
			a.in.sin_port = port; /* sin6_port lies there, too */
			out[n++] = K(SYS_sendto, other, (long)&byte, 1, 0, (long)&a, len);
			out[n++] = K(SYS_recvfrom, fd, (long)&byte, 1, 0, 0, 0);
		}
		K(SYS_close, fd);
		K(SYS_close, other);
	}
	return n;
}

const struct fixed_case fixed_cases[FIXED] = {
	{"a full pipe behaves as in Linux", full_pipe},
	{"a listener that was shut down holds no port that the kernel chose", former_listener},
	{"one description by several numbers in an epoll set: the order of news", numbers_of_one},
	{"an epoll set inside another tells of EPOLLIN alone", set_in_set},
	{"a shutdown of a socket without a connection is an edge", shutdown_in_vain},
	{"a shutdown takes the place of the connect that says 0", connect_after_shutdown},
	{"a connection that was reset is told to the next connect", connect_after_reset},
	{"reading from a pipe is an edge for its writer if it was full", room_in_pipe},
	{"a datagram that is taken back is an edge", datagram_taken_back},
	{"a datagram to nobody is an edge", datagram_to_nobody},
	{"a datagram comes from the kind of address that it was sent to", datagram_to_itself},
	{"datagrams by IPv6 and by IPv4 in turns: one address is kept", connected_by_turns},
	{"a connection of datagrams that is ended leaves what bind gave", connection_ended},
};

int fixed_compare(const struct fixed_case *c)
{
	long linux_says[FIXED_ANSWERS], we_say[FIXED_ANSWERS];
	int n = c->play(real_kernel, linux_says);
	c->play(virtual_kernel, we_say);
	for (int i = 0; i < n; i++)
		if (linux_says[i] != we_say[i]) {
			printf("# answer %d: %ld on Linux, %ld here\n", i, linux_says[i], we_say[i]);
			return 1;
		}
	return 0;
}
