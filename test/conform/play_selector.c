#include "play_selector.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "play_address.h"
#include "play_option.h"

#define FDS 9 /* descriptors 3 to 11 */

#define PLAY(f) static void f(kernel *k, const struct step *s, struct answer *out)
#define K(nr, ...) kernel_call(k, nr, (long[6]){__VA_ARGS__})

static long kernel_call(kernel *k, long nr, const long *a)
{
	return k(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* ---- things to watch ---- */

/* A TCP socket that connects to its own address reaches itself. */
static bool is_at(int fd, const union any_address *a)
{
	union any_address own = {.sa = {.sa_family = 0}};
	socklen_t len = sizeof(own);
	return !getsockname(fd, &own.sa, &len) && address_port(&own) && address_port(&own) == address_port(a);
}

PLAY(play_pair)
{
	(void)s;
	int fds[2] = {-1, -1};
	out->ret = K(SYS_socketpair, AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, (long)fds);
	answer_add(out, fds, sizeof(fds));
}

PLAY(play_pipe)
{
	(void)s;
	int fds[2] = {-1, -1};
	out->ret = K(SYS_pipe2, (long)fds, O_NONBLOCK);
	answer_add(out, fds, sizeof(fds));
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
	K(SYS_setsockopt, listener, SOL_SOCKET, SO_REUSEADDR, (long)&one, sizeof(one));
	long bound = K(SYS_bind, listener, (long)&a, len);
	long listens = K(SYS_listen, listener, 8);
	answer_add(out, &bound, sizeof(bound));
	answer_add(out, &listens, sizeof(listens));
	long connects = bound || listens ? 0 : K(SYS_connect, client, (long)&a, len);
	answer_add(out, &connects, sizeof(connects));
	out->ret = s->n % 3 ? K(SYS_accept4, listener, 0, 0, SOCK_NONBLOCK) : 0;
}

/* A listener or a client of the Unix domain; a datagram socket. */
PLAY(play_socket)
{
	union any_address a;
	socklen_t len = address_make(ADDRESS_UNIX + s->n % 2, &a);
	int type = s->n & 4 ? SOCK_DGRAM : SOCK_STREAM;
	long fd = out->ret = K(SYS_socket, AF_UNIX, type | SOCK_NONBLOCK, 0);
	long then = s->n & 8 ? K(SYS_connect, fd, (long)&a, len) : K(SYS_bind, fd, (long)&a, len);
	if (!then && !(s->n & 12))
		then = K(SYS_listen, fd, 8);
	answer_add(out, &then, sizeof(then));
}

/*
 * TCP, to where a listener may be: the connection is under way, and looked at once: before that the network
 * may take its time in the virtual kernel, and in Linux is as fast as lightning.
 */
PLAY(play_connect)
{
	union any_address a;
	int soon = 0, one = 1;
	socklen_t len = address_make(ADDRESS_4, &a), size = sizeof(soon);
	long fd = K(SYS_socket, AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	K(SYS_setsockopt, fd, SOL_SOCKET, SO_REUSEADDR, (long)&one, sizeof(one));
	out->ret = K(SYS_connect, fd, (long)&a, len);
	long again = s->n & 1 ? K(SYS_connect, fd, (long)&a, len) : 0;
	long error = !(s->n & 1) ? K(SYS_getsockopt, fd, SOL_SOCKET, SO_ERROR, (long)&soon, (long)&size) : 0;
	answer_add(out, &again, sizeof(again));
	answer_add(out, &error, sizeof(error));
	answer_add(out, &soon, sizeof(soon));
}

/* Connect once more, in whatever state it is, and ask how that went. */
PLAY(play_connect_again)
{
	union any_address a;
	socklen_t len = address_make(s->n & 2 ? ADDRESS_4 : ADDRESS_4 + 1, &a);
	if (s->n & 1)
		out->ret = K(SYS_getpeername, s->fd, (long)&a, (long)&len);
	else if (!is_at(s->fd, &a))
		out->ret = K(SYS_connect, s->fd, (long)&a, len);
}

/* What went wrong. Asking takes it away. */
PLAY(play_error)
{
	int error = -1;
	socklen_t len = sizeof(error);
	out->ret = K(SYS_getsockopt, s->fd, SOL_SOCKET, SO_ERROR, (long)&error, (long)&len);
	answer_add_long(out, error);
}

/* A pair that keeps messages apart, or datagrams. */
PLAY(play_message_pair)
{
	int fds[2] = {-1, -1}, type = s->n & 1 ? SOCK_SEQPACKET : SOCK_DGRAM;
	out->ret = K(SYS_socketpair, AF_UNIX, type | SOCK_NONBLOCK, 0, (long)fds);
	answer_add(out, fds, sizeof(fds));
}

/* UDP: one at a known address, or one that is connected to it. */
PLAY(play_udp)
{
	union any_address a;
	socklen_t len = address_make(ADDRESS_4 + (s->n >> 1 & 1), &a);
	long fd = out->ret = K(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	answer_add_long(out, s->n & 1 ? K(SYS_bind, fd, (long)&a, len) : K(SYS_connect, fd, (long)&a, len));
}

/*
 * A timer that expires in a thousand years, or never. When others expire is nobody's promise.
 */
PLAY(play_timerfd)
{
	struct itimerspec t = {.it_value = {.tv_sec = s->n & 1 ? 1l << 35 : 0},
			       .it_interval = {.tv_sec = s->n % 9}};
	out->ret = K(SYS_timerfd_create, s->n % 40 ? CLOCK_MONOTONIC : 77, TFD_NONBLOCK);
	long set = K(SYS_timerfd_settime, out->ret, s->n % 37 ? 0 : 16, (long)&t, 0);
	answer_add(out, &set, sizeof(set));
}

PLAY(play_timer_look)
{
	struct itimerspec t = {.it_value = {0}};
	out->ret = K(SYS_timerfd_gettime, s->fd, (long)&t);
	long armed = t.it_value.tv_sec > 0;
	answer_add(out, &armed, sizeof(armed));
	answer_add(out, &t.it_interval, sizeof(t.it_interval));
}

/* Of signals that are blocked all the time; those of real time are queued. */
static const int signals[] = {SIGUSR1, SIGUSR2, 40};

PLAY(play_signalfd)
{
	unsigned long set = 0;
	for (unsigned i = 0; i < 3; i++)
		set |= s->n >> i & 1 ? 1ul << (signals[i] - 1) : 0;
	out->ret = K(SYS_signalfd4, s->n & 32 ? -1 : s->fd, (long)&set, s->n % 64 ? 8 : 4, SFD_NONBLOCK);
}

PLAY(play_signal)
{
	siginfo_t info = {.si_code = SI_QUEUE, .si_value.sival_int = (int)s->n};
	int sig = signals[s->n % 3];
	long pid = K(SYS_getpid, 0);
	info.si_pid = 1;
	if (s->n & 8)
		out->ret = K(SYS_rt_sigqueueinfo, pid, sig, (long)&info);
	else
		out->ret = K(SYS_kill, pid, sig);
}

PLAY(play_pending_signals)
{
	unsigned long set = 0;
	siginfo_t info = {.si_signo = 0};
	struct timespec now = {0};
	if (s->n & 1) {
		out->ret = K(SYS_rt_sigpending, (long)&set, 8);
	} else {
		set = 1ul << (signals[s->n / 2 % 3] - 1);
		out->ret = K(SYS_rt_sigtimedwait, (long)&set, (long)&info, (long)&now, 8);
	}
	set &= 1ul << (SIGUSR1 - 1) | 1ul << (SIGUSR2 - 1) | 1ul << 39;
	answer_add(out, &set, sizeof(set));
	answer_add(out, &info.si_signo, sizeof(info.si_signo));
	answer_add(out, &info.si_code, sizeof(info.si_code));
}

/* Who sent them differs: these are two processes. */
PLAY(play_read_signals)
{
	struct signalfd_siginfo info[2] = {{0}};
	out->ret = K(SYS_read, s->fd, (long)info, s->n % 5 ? sizeof(info) : sizeof(info[0]) - s->n % 2);
	for (unsigned i = 0; i < 2 && out->ret >= (long)sizeof(info[0]); i++) {
		answer_add(out, &info[i].ssi_signo, sizeof(info[i].ssi_signo));
		answer_add(out, &info[i].ssi_code, sizeof(info[i].ssi_code));
		answer_add(out, &info[i].ssi_int, sizeof(info[i].ssi_int));
	}
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
					EPOLLIN | EPOLLEXCLUSIVE,
					EPOLLIN | EPOLLOUT | EPOLLET,
					EPOLLOUT | EPOLLONESHOT,
					EPOLLIN | EPOLLEXCLUSIVE | EPOLLET,
					EPOLLPRI | EPOLLRDNORM | EPOLLWRNORM};
	return some[n % (sizeof(some) / sizeof(some[0]))];
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
	struct timespec now = {0};
	int room = s->n % 4 ? 8 : (int)(s->n >> 2) % 4;
	if (s->flags % 8 == 0)
		out->ret = K(SYS_epoll_pwait, s->fd, (long)e, room, 0, 0, 8);
	else if (s->flags % 8 == 1)
		out->ret = K(SYS_epoll_pwait2, s->fd, (long)e, room, (long)&now, 0, 8);
	else
		out->ret = K(SYS_epoll_wait, s->fd, (long)e, room, 0);
	answer_add(out, e, sizeof(e));
}

PLAY(play_poll)
{
	struct pollfd p[2] = {{.fd = s->fd, .events = (short)(s->n & 0x3fff)},
			      {.fd = s->fd2, .events = POLLIN | POLLOUT | POLLRDHUP}};
	struct timespec now = {0};
	if (s->flags & 1)
		out->ret = K(SYS_poll, (long)p, 2, 0);
	else
		out->ret = K(SYS_ppoll, (long)p, 2, (long)&now, 0, 8);
	answer_add(out, p, sizeof(p));
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
		answer_add(out, &sets[i], 8);
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
	answer_add(out, data, sizeof(data));
}

/* A look, or a read of what may be a message. */
PLAY(play_recv)
{
	static const int flags[] = {MSG_PEEK, MSG_PEEK | MSG_TRUNC, MSG_DONTWAIT, 0};
	char data[16] = {0};
	out->ret = K(SYS_recvfrom, s->fd, (long)data, s->flags % 17, flags[s->n % 4], 0, 0);
	answer_add(out, data, sizeof(data));
}

PLAY(play_send)
{
	static const int flags[] = {MSG_NOSIGNAL, MSG_NOSIGNAL | MSG_DONTWAIT};
	union any_address a;
	socklen_t len = address_make(ADDRESS_4 + (s->n >> 1 & 1), &a);
	bool named = s->n % 3 == 0;
	out->ret = K(SYS_sendto, s->fd, (long)"hello, world", s->flags % 13, flags[s->n & 1],
		     named ? (long)&a : 0, named ? len : 0);
}

/*
 * Whether it waits belongs to the description, and may change at any time. Not where a reader would wait for
 * more than there is: on Linux these sequences only try.
 */
PLAY(play_mode)
{
	int on = s->n & 1, least = 1;
	socklen_t len = sizeof(least);
	if (!getsockopt(s->fd, SOL_SOCKET, SO_RCVLOWAT, &least, &len) && least != 1)
		return;
	out->ret = s->n & 2 ? K(SYS_ioctl, s->fd, FIONBIO, (long)&on)
			    : K(SYS_fcntl, s->fd, F_SETFL, on ? O_NONBLOCK : 0);
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

/* How much must be there before a stream socket is ready to be read. */
PLAY(play_low_water)
{
	int least = (int)(s->n % 20), now = -1;
	socklen_t len = sizeof(now);
	if (!(fcntl(s->fd, F_GETFL) & O_NONBLOCK))
		return;
	out->ret = K(SYS_setsockopt, s->fd, SOL_SOCKET, SO_RCVLOWAT, (long)&least, sizeof(least));
	K(SYS_getsockopt, s->fd, SOL_SOCKET, SO_RCVLOWAT, (long)&now, (long)&len);
	answer_add_long(out, now);
}

PLAY(play_pending_bytes)
{
	int value = -1;
	out->ret = K(SYS_ioctl, s->fd, FIONREAD, (long)&value);
	if (out->ret ==
	    -EINVAL) /* how an epoll set says that it knows no such request is the version's affair */
		out->ret = -ENOTTY;
	answer_add_long(out, value);
}

/* ---- the list ---- */

static const struct play plays[] = {
	{"pair", play_pair, 3},
	{"pipe", play_pipe, 2},
	{"eventfd", play_eventfd, 4},
	{"accept", play_accept, 2},
	{"socket", play_socket, 3},
	{"connect", play_connect, 2},
	{"timerfd", play_timerfd, 2},
	{"timerlook", play_timer_look, 1},
	{"signalfd", play_signalfd, 2},
	{"signal", play_signal, 3},
	{"pending", play_pending_signals, 2},
	{"readsig", play_read_signals, 3},
	{"linger", play_linger, 1},
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
	{"lowwater", play_low_water, 1},
	{"bytes", play_pending_bytes, 1},
	{"again", play_connect_again, 2},
	{"error", play_error, 1},
	{"messages", play_message_pair, 2},
	{"udp", play_udp, 2},
	{"recv", play_recv, 4},
	{"send", play_send, 4},
	{"mode", play_mode, 1},
};
#define PLAYS (sizeof(plays) / sizeof(plays[0]))

struct step random_selector_step(uint64_t *rng)
{
	struct step s = {
		.op = pick_play(rng, plays, PLAYS),
		.fd = (int8_t)(3 + pick(rng, FDS)),
		.fd2 = (int8_t)(3 + pick(rng, FDS)),
		.n = (uint32_t)random_next(rng) & 0xffff,
		.flags = (uint32_t)random_next(rng) & 0xffff,
		.bad = pick_bad(rng),
	};
	if (plays[s.op].play == play_connection ||
	    plays[s.op].play == play_connect) /* the next one must be able to use its address */
		s.bad = 0;
	if (pick(rng, 40) == 0)
		s.fd = (int8_t)(pick(rng, 2) ? -1 : 100);
	return s;
}

void play_selector_step(kernel *k, const struct step *s, struct answer *out)
{
	memset(out, 0, sizeof(*out));
	plays[s->op].play(k, s, out);
}

void print_selector_step(FILE *to, const struct step *s)
{
	fprintf(to, "%-10s fd %d fd2 %d n %u flags %u bad %u\n", plays[s->op].call, s->fd, s->fd2, s->n,
		s->flags, s->bad);
}
