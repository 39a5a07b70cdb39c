#include "play_socket.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "play_address.h"
#include "play_option.h"

#define FDS 9 /* descriptors 3 to 11 */

/* ---- answers ---- */

static void add_address(struct answer *out, union any_address *a, socklen_t len)
{
	answer_add_long(out, len);
	if (len > sizeof(*a))
		len = sizeof(*a);
	if (a->sa.sa_family == AF_INET && len >= sizeof(a->in))
		a->in.sin_port = address_plain_port(a->in.sin_port);
	const size_t chosen = offsetof(struct sockaddr_un, sun_path) + 6; /* by the kernel */
	if (a->sa.sa_family == AF_UNIX && !a->un.sun_path[0] && len == chosen)
		memset(a->un.sun_path, 'x', 6);
	if (a->sa.sa_family == AF_INET6 && len >= sizeof(a->in6))
		a->in6.sin6_port = address_plain_port(a->in6.sin6_port);
	answer_add(out, a, len);
}

/* ---- plays ---- */

#define PLAY(f) static void f(kernel *k, const struct step *s, struct answer *out)
#define K(nr, ...) kernel_call(k, nr, (long[6]){__VA_ARGS__})

static long kernel_call(kernel *k, long nr, const long *a)
{
	return k(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static const int kinds[][2] = {
	{AF_INET, SOCK_STREAM}, {AF_INET6, SOCK_STREAM}, {AF_UNIX, SOCK_STREAM}, {AF_UNIX, SOCK_SEQPACKET},
	{AF_UNIX, SOCK_DGRAM},  {AF_INET, SOCK_DGRAM},   {AF_INET6, SOCK_DGRAM},
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* TCP remembers addresses for a minute, unless it is told not to: then bind depends on what was before. */
static void reuse_addresses(kernel *k, long fd)
{
	int one = 1;
	if (fd >= 0)
		K(SYS_setsockopt, fd, SOL_SOCKET, SO_REUSEADDR, (long)&one, sizeof(one));
}

static long make_socket(kernel *k, unsigned kind, int flags)
{
	long fd = K(SYS_socket, kinds[kind][0], kinds[kind][1] | flags, 0);
	if (kinds[kind][1] == SOCK_STREAM)
		reuse_addresses(k, fd);
	return fd;
}

PLAY(play_socket)
{
	static const int flags[] = {0, 0, 0, 0, SOCK_NONBLOCK, SOCK_CLOEXEC};
	out->ret = make_socket(k, s->n % KINDS, flags[s->flags % 6]);
}

PLAY(play_odd_socket)
{
	static const int odd[][3] = {
		{AF_UNIX, SOCK_STREAM, 1},
		{AF_UNIX, SOCK_STREAM, 2},
		{AF_UNIX, SOCK_RDM, 0},
		{AF_UNIX, 9, 0},
		{AF_INET, SOCK_STREAM, IPPROTO_TCP},
		{AF_INET, SOCK_STREAM, IPPROTO_UDP},
		{AF_INET, SOCK_DGRAM, IPPROTO_UDP},
		{AF_INET, SOCK_SEQPACKET, 0},
		{0, SOCK_STREAM, 0},
		{AF_UNIX, SOCK_STREAM | 0x100, 0},
		{99, SOCK_STREAM, 0},
		{AF_INET6, SOCK_DGRAM, IPPROTO_TCP},
	};
	const int *o = odd[s->n % (sizeof(odd) / sizeof(odd[0]))];
	int fds[2] = {-1, -1};
	if (s->flags % 2) {
		out->ret = K(SYS_socket, o[0], o[1], o[2]);
		reuse_addresses(k, out->ret);
		return;
	}
	out->ret = K(SYS_socketpair, o[0], o[1], o[2], (long)fds);
	if (!out->ret) /* Linux writes the numbers before it fails */
		answer_add(out, fds, sizeof(fds));
}

PLAY(play_pair)
{
	static const int types[] = {SOCK_STREAM, SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM};
	int fds[2] = {-1, -1};
	out->ret = K(SYS_socketpair, AF_UNIX, types[s->n % 4] | (s->flags % 8 ? 0 : SOCK_NONBLOCK), 0,
		     (long)fds);
	answer_add(out, fds, sizeof(fds));
}

/* A listener, a connection to it, accepted; what goes wrong on the way is part of the answer. */
PLAY(play_connection)
{
	unsigned kind = s->n % 4; /* TCP, TCP over IPv6, two of the Unix domain */
	static const unsigned at[] = {ADDRESS_4, ADDRESS_6, ADDRESS_UNIX, ADDRESS_UNIX + 3};
	union any_address a;
	socklen_t len = address_make(at[kind], &a);
	long listener = make_socket(k, kind, 0), client = make_socket(k, kind, 0);
	answer_add_long(out, K(SYS_bind, listener, (long)&a, len));
	answer_add_long(out, K(SYS_listen, listener, 64));
	answer_add_long(out, K(SYS_connect, client, (long)&a, len));
	out->ret = K(SYS_accept4, listener, 0, 0, 0);
	if (s->flags % 3)
		answer_add_long(out, K(SYS_close, listener));
}

PLAY(play_bind)
{
	union any_address a;
	socklen_t len = address_make(s->path, &a);
	out->ret = K(SYS_bind, s->fd, (long)&a, len);
}

PLAY(play_listen)
{
	out->ret = K(SYS_listen, s->fd, 64);
}

PLAY(play_connect)
{
	union any_address a;
	socklen_t len = address_make(s->path, &a);
	out->ret = K(SYS_connect, s->fd, (long)&a, len);
}

PLAY(play_accept)
{
	union any_address a = {.sa = {.sa_family = 0}};
	int len = s->n % 2 ? (int)sizeof(a) : 4;
	if (s->flags % 4 == 0)
		out->ret = K(SYS_accept, s->fd, 0, 0);
	else
		out->ret = K(SYS_accept4, s->fd, (long)&a, (long)&len, s->flags % 4 == 1 ? SOCK_NONBLOCK : 0);
	if (out->ret >= 0 && s->flags % 4)
		add_address(out, &a, (socklen_t)len > 4 && s->n % 2 ? (socklen_t)len : 2);
}

static const int send_flags[] = {MSG_NOSIGNAL, MSG_NOSIGNAL, MSG_NOSIGNAL, MSG_NOSIGNAL | MSG_DONTWAIT, 0};

static int send_flag(const struct step *s)
{
	return send_flags[s->flags % 5];
}

PLAY(play_send)
{
	char buf[300];
	answer_pattern(buf, sizeof(buf), s->n);
	out->ret = K(SYS_sendto, s->fd, (long)buf, s->n % 5 ? s->n % sizeof(buf) : 0, send_flag(s), 0, 0);
}

PLAY(play_sendto)
{
	union any_address a;
	char buf[300];
	socklen_t len = address_make(s->path, &a);
	answer_pattern(buf, sizeof(buf), s->n);
	out->ret = K(SYS_sendto, s->fd, (long)buf, s->n % sizeof(buf), send_flag(s), (long)&a, len);
}

PLAY(play_sendmsg)
{
	char buf[300];
	union any_address a;
	answer_pattern(buf, sizeof(buf), s->n);
	struct iovec v[3] = {{buf, s->n % 100}, {buf + 100, s->flags % 2 ? 0 : 100}, {buf + 200, 100}};
	struct msghdr m = {.msg_iov = v, .msg_iovlen = s->n % 4};
	if (s->flags % 3 == 0) {
		m.msg_name = &a;
		m.msg_namelen = address_make(s->path, &a);
	}
	out->ret = K(SYS_sendmsg, s->fd, (long)&m, send_flag(s));
}

PLAY(play_write)
{
	char buf[300];
	answer_pattern(buf, sizeof(buf), s->n);
	struct iovec v[2] = {{buf, 1 + s->n % 99}, {buf + 100, 100}};
	if (s->flags % 3)
		out->ret = K(SYS_write, s->fd, (long)buf, s->n % sizeof(buf));
	else
		out->ret = K(SYS_writev, s->fd, (long)v, s->n % 3);
}

static int recv_flag(const struct step *s)
{
	static const int flags[] = {
		0, 0, MSG_PEEK, MSG_DONTWAIT, MSG_TRUNC, MSG_PEEK | MSG_TRUNC, MSG_PEEK | MSG_DONTWAIT};
	return flags[s->flags % 7];
}

PLAY(play_recv)
{
	char buf[400] = {0};
	out->ret = K(SYS_recvfrom, s->fd, (long)buf, s->n % 6 ? s->n % sizeof(buf) : 0, recv_flag(s), 0, 0);
	answer_add(out, buf, sizeof(buf));
}

PLAY(play_recvfrom)
{
	char buf[400] = {0};
	union any_address a = {.sa = {.sa_family = 0}};
	socklen_t len = sizeof(a);
	out->ret = K(SYS_recvfrom, s->fd, (long)buf, s->n % sizeof(buf), recv_flag(s), (long)&a, (long)&len);
	answer_add(out, buf, sizeof(buf));
	if (out->ret >= 0)
		add_address(out, &a, len);
}

PLAY(play_recvmsg)
{
	char buf[300] = {0};
	union any_address a = {.sa = {.sa_family = 0}};
	struct iovec v[3] = {{buf, s->n % 100}, {buf + 100, s->flags % 2 ? 0 : 100}, {buf + 200, 100}};
	struct msghdr m = {.msg_iov = v, .msg_iovlen = s->n % 4, .msg_name = &a, .msg_namelen = sizeof(a)};
	out->ret = K(SYS_recvmsg, s->fd, (long)&m, recv_flag(s));
	answer_add(out, buf, sizeof(buf));
	if (out->ret < 0)
		return;
	add_address(out, &a, m.msg_namelen);
	answer_add_long(out, m.msg_flags & ~MSG_DONTWAIT);
}

PLAY(play_read)
{
	char buf[400] = {0};
	struct iovec v[2] = {{buf, s->n % 100}, {buf + 100, 100}};
	if (s->flags % 3)
		out->ret = K(SYS_read, s->fd, (long)buf, s->n % sizeof(buf));
	else
		out->ret = K(SYS_readv, s->fd, (long)v, s->n % 3);
	answer_add(out, buf, sizeof(buf));
}

PLAY(play_shutdown)
{
	out->ret = K(SYS_shutdown, s->fd, s->n % 20 == 0 ? 3 : s->n % 3);
}

PLAY(play_close)
{
	out->ret = K(SYS_close, s->fd);
}

PLAY(play_dup)
{
	if (s->n % 2)
		out->ret = K(SYS_dup, s->fd);
	else
		out->ret = K(SYS_dup2, s->fd, s->fd2);
}

PLAY(play_fcntl)
{
	out->ret = s->n % 3 ? K(SYS_fcntl, s->fd, F_GETFL) : K(SYS_fcntl, s->fd, F_GETFD);
}

PLAY(play_name)
{
	union any_address a = {.sa = {.sa_family = 0}};
	socklen_t len = sizeof(a);
	out->ret = K(s->n % 2 ? SYS_getsockname : SYS_getpeername, s->fd, (long)&a, (long)&len);
	if (!out->ret)
		add_address(out, &a, len);
}

/* Who waits for all would wait for ever here, unless it is told not to. */
PLAY(play_wait_all)
{
	char buf[400] = {0};
	int flags = MSG_WAITALL | MSG_DONTWAIT | (s->flags & 1 ? MSG_PEEK : 0);
	out->ret = K(SYS_recvfrom, s->fd, (long)buf, s->n % sizeof(buf), flags, 0, 0);
	answer_add(out, buf, sizeof(buf));
}

PLAY(play_sendmmsg)
{
	char buf[300];
	answer_pattern(buf, sizeof(buf), s->n);
	struct iovec v[2] = {{buf, s->n % 100}, {buf + 100, s->n % 7 * 10}};
	struct mmsghdr m[2] = {{.msg_hdr = {.msg_iov = &v[0], .msg_iovlen = 1}},
			       {.msg_hdr = {.msg_iov = v, .msg_iovlen = 2}}};
	out->ret = K(SYS_sendmmsg, s->fd, (long)m, s->flags % 3, MSG_NOSIGNAL | MSG_DONTWAIT);
	answer_add_long(out, m[0].msg_len);
	answer_add_long(out, m[1].msg_len);
}

PLAY(play_recvmmsg)
{
	char buf[300] = {0};
	struct iovec v[2] = {{buf, s->n % 100}, {buf + 100, 150}};
	struct mmsghdr m[2] = {{.msg_hdr = {.msg_iov = &v[0], .msg_iovlen = 1}},
			       {.msg_hdr = {.msg_iov = &v[1], .msg_iovlen = 1}}};
	out->ret = K(SYS_recvmmsg, s->fd, (long)m, s->flags % 3, MSG_DONTWAIT, 0);
	answer_add(out, buf, sizeof(buf));
	answer_add_long(out, m[0].msg_len);
	answer_add_long(out, m[1].msg_len);
}

PLAY(play_set_flags)
{
	int on = s->n & 1;
	if (s->n & 2)
		out->ret = K(SYS_ioctl, s->fd, FIONBIO, (long)&on);
	else
		out->ret = K(SYS_fcntl, s->fd, F_SETFL, on ? O_NONBLOCK : 0);
}

static bool is_socket(int fd)
{
	struct stat st;
	return !fstat(fd, &st) && S_ISSOCK(st.st_mode);
}

/* From a file to a socket; what else it can do is the business of other sequences. */
PLAY(play_sendfile)
{
	long at = s->n % 50;
	struct stat st;
	if (!is_socket(s->fd) || fstat(s->fd2, &st) || !S_ISREG(st.st_mode))
		return;
	out->ret = K(SYS_sendfile, s->fd, s->fd2, (long)&at, s->n % 60);
	answer_add_long(out, at);
}

PLAY(play_pipe)
{
	int fds[2] = {-1, -1};
	out->ret = K(SYS_pipe2, (long)fds, s->n & 1 ? O_NONBLOCK : 0);
	answer_add(out, fds, sizeof(fds));
}

/* Between a pipe and a socket. */
PLAY(play_splice)
{
	struct stat st;
	int in = s->n & 1 ? s->fd : s->fd2, other = s->n & 1 ? s->fd2 : s->fd;
	if (!is_socket(s->fd) || fstat(s->fd2, &st) || !S_ISFIFO(st.st_mode))
		return;
	K(SYS_fcntl, s->fd, F_SETFL, O_NONBLOCK); /* the flag of splice is for pipes only */
	out->ret = K(SYS_splice, in, 0, other, 0, s->n % 300, 2);
}

PLAY(play_poll)
{
	struct pollfd p[2] = {{.fd = s->fd, .events = 0x7fff & ~POLLMSG},
			      {.fd = s->fd2, .events = POLLIN | POLLOUT | POLLRDHUP}};
	out->ret = K(SYS_poll, (long)p, 2, 0);
	answer_add_long(out, p[0].revents);
	answer_add_long(out, p[1].revents);
}

PLAY(play_pending)
{
	int value = -1;
	out->ret = K(SYS_ioctl, s->fd, FIONREAD, (long)&value);
	answer_add_long(out, value);
}

/* What is no socket. */
PLAY(play_open)
{
	(void)s;
	out->ret = K(SYS_open, (long)"a", O_RDWR);
}

PLAY(play_unlink)
{
	out->ret = K(SYS_unlink, (long)(s->n % 2 ? "s1" : "s2"));
}

PLAY(play_stat)
{
	struct stat st = {0};
	out->ret = s->n % 2 ? K(SYS_fstat, s->fd, (long)&st) : K(SYS_stat, (long)"s1", (long)&st);
	if (!out->ret)
		answer_add_long(out, st.st_mode);
}

PLAY(play_lseek)
{
	out->ret = K(SYS_lseek, s->fd, 0, SEEK_CUR);
}

/* ---- the list ---- */

static const struct play plays[] = {
	{"socket", play_socket, 5},
	{"oddsocket", play_odd_socket, 1},
	{"pair", play_pair, 4},
	{"connection", play_connection, 5},
	{"bind", play_bind, 6},
	{"listen", play_listen, 3},
	{"connect", play_connect, 6},
	{"accept", play_accept, 4},
	{"send", play_send, 8},
	{"sendto", play_sendto, 6},
	{"sendmsg", play_sendmsg, 3},
	{"write", play_write, 3},
	{"recv", play_recv, 8},
	{"recvfrom", play_recvfrom, 4},
	{"recvmsg", play_recvmsg, 3},
	{"read", play_read, 3},
	{"shutdown", play_shutdown, 5},
	{"close", play_close, 6},
	{"dup", play_dup, 2},
	{"fcntl", play_fcntl, 1},
	{"name", play_name, 6},
	{"getsockopt", play_getsockopt, 4},
	{"setsockopt", play_setsockopt, 3},
	{"linger", play_linger, 2},
	{"tcpinfo", play_tcp_info, 2},
	{"waitall", play_wait_all, 2},
	{"sendmmsg", play_sendmmsg, 1},
	{"recvmmsg", play_recvmmsg, 1},
	{"setflags", play_set_flags, 2},
	{"sendfile", play_sendfile, 1},
	{"pipe", play_pipe, 1},
	{"splice", play_splice, 3},
	{"poll", play_poll, 7},
	{"pending", play_pending, 3},
	{"unlink", play_unlink, 2},
	{"stat", play_stat, 1},
	{"lseek", play_lseek, 1},
	{"open", play_open, 1},
};
#define PLAYS (sizeof(plays) / sizeof(plays[0]))

struct step random_socket_step(uint64_t *rng)
{
	struct step s = {
		.op = pick_play(rng, plays, PLAYS),
		.path = (uint8_t)pick(rng, pick(rng, 4) ? ADDRESS_ODD : ADDRESSES),
		.fd = (int8_t)(3 + pick(rng, FDS)),
		.fd2 = (int8_t)(3 + pick(rng, FDS)),
		.n = (uint32_t)random_next(rng) & 0xffff,
		.flags = (uint32_t)random_next(rng) & 0xffff,
		.bad = pick_bad(rng),
	};
	if (plays[s.op].play == play_connection || plays[s.op].play == play_socket ||
	    plays[s.op].play == play_odd_socket) /* they must all reuse addresses: see above */
		s.bad = 0;
	if (pick(rng, 40) == 0)
		s.fd = (int8_t)(pick(rng, 2) ? -1 : 100);
	return s;
}

void play_socket_step(kernel *k, const struct step *s, struct answer *out)
{
	out->ret = 0;
	out->len = 0;
	plays[s->op].play(k, s, out);
}

/* Linux sends pages of a file as they are when they arrive: what is written there behind a sendfile shows. */
static bool writes_file(const struct step *s)
{
	struct stat st;
	return plays[s->op].play == play_write && !fstat(s->fd, &st) && S_ISREG(st.st_mode);
}

bool is_odd_socket_step(const struct step *s)
{
	if (writes_file(s))
		return true;
	union any_address own = {.sa = {.sa_family = 0}}, to;
	struct pollfd p = {.fd = s->fd, .events = POLLRDHUP};
	socklen_t len = sizeof(own);
	bool binds = plays[s->op].play == play_bind || plays[s->op].play == play_listen;
	if ((!binds && plays[s->op].play != play_connect) || getsockname(s->fd, &own.sa, &len))
		return false;
	if (binds && own.sa.sa_family == AF_UNIX && !getpeername(s->fd, &to.sa, &len))
		return true;
	address_make(s->path, &to);
	if (!binds && address_port(&own) && address_port(&own) == address_port(&to))
		return true;
	if (!binds && to.sa.sa_family == AF_INET && !address_port(&to))
		return true;
	/* Once it has failed to reach IPv4, a socket of IPv6 that connects to :: waits for minutes. */
	if (!binds && own.sa.sa_family == AF_INET6 && address_plain_port(own.in6.sin6_port) == 99 &&
	    to.sa.sa_family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&to.in6.sin6_addr))
		return true;
	return own.sa.sa_family != AF_UNIX && poll(&p, 1, 0) == 1 && (p.revents & POLLRDHUP);
}

void print_socket_step(FILE *to, const struct step *s)
{
	fprintf(to, "%-10s address %u fd %d fd2 %d n %u flags %u bad %u\n", plays[s->op].call, s->path, s->fd,
		s->fd2, s->n, s->flags, s->bad);
}
