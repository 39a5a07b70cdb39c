/*
 * sock_opt.c: getsockopt and setsockopt. Most options are remembered and change nothing: they tune what is
 * not modelled (timers, buffers, packets). One table; defaults are Linux's.
 */
#include <asm/socket.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/tcp.h>

#include "runtime/vkernel/sockets/sock.h"
#include "runtime/vkernel/sockets/sock_abi.h"

#define MAX_INT 0x7fffffff
#define BUFFER_MAX 212992 /* net.core.rmem_max and wmem_max */
#define RECEIVE_MIN 2304
#define SEND_MIN 4608

enum sock_option_kind { FLAG, NUMBER };

/*
 * FLAG: a bit of options.bits, kept as its difference from the default. NUMBER: the same for options.value.
 */
struct sock_option_row {
	u16 level, name;
	u8 kind;
	u8 at;
	int standard;
	int low, high; /* NUMBER: what can be set; low -1: that is the default */
};

enum {
	F_DEBUG = SOCK_FLAG_OPTIONS,
	F_DONTROUTE,
	F_BROADCAST,
	F_KEEPALIVE,
	F_OOBINLINE,
	F_NO_CHECK,
	F_NODELAY,
	F_CORK,
	F_QUICKACK,
	F_FASTOPEN_CONNECT,
	F_IP_RECVERR,
	F_FREEBIND,
	F_NO_PORT,
	F_IPV6_RECVERR,
	F_MULTICAST_LOOP,
	F_MULTICAST_LOOP6,
};

enum {
	N_PRIORITY,
	N_BUSY_POLL,
	N_MAXSEG,
	N_KEEPIDLE,
	N_KEEPINTVL,
	N_KEEPCNT,
	N_SYNCNT,
	N_LINGER2,
	N_DEFER_ACCEPT,
	N_WINDOW_CLAMP,
	N_USER_TIMEOUT,
	N_FASTOPEN,
	N_NOTSENT_LOWAT,
	N_TOS,
	N_TTL,
	N_MTU_DISCOVER,
	N_MULTICAST_TTL,
	N_HOPS6,
	N_MULTICAST_HOPS6,
	N_MTU_DISCOVER6,
	N_TCLASS,
	N_COUNT
};
_Static_assert(N_COUNT <= SOCK_OPTION_VALUES, "room for every number");

static const struct sock_option_row table[] = {
	{SOL_SOCKET_, SO_DEBUG, FLAG, F_DEBUG, 0, 0, 0},
	{SOL_SOCKET_, SO_REUSEADDR, FLAG, SOCK_REUSE_ADDRESS, 0, 0, 0},
	{SOL_SOCKET_, SO_REUSEPORT, FLAG, SOCK_REUSE_PORT, 0, 0, 0},
	{SOL_SOCKET_, SO_DONTROUTE, FLAG, F_DONTROUTE, 0, 0, 0},
	{SOL_SOCKET_, SO_BROADCAST, FLAG, F_BROADCAST, 0, 0, 0},
	{SOL_SOCKET_, SO_KEEPALIVE, FLAG, F_KEEPALIVE, 0, 0, 0},
	{SOL_SOCKET_, SO_OOBINLINE, FLAG, F_OOBINLINE, 0, 0, 0},
	{SOL_SOCKET_, SO_NO_CHECK, FLAG, F_NO_CHECK, 0, 0, 0},
	{SOL_SOCKET_, SO_PRIORITY, NUMBER, N_PRIORITY, 0, 0, 6},
	{SOL_SOCKET_, SO_BUSY_POLL, NUMBER, N_BUSY_POLL, 0, 0, MAX_INT},
	{SOL_TCP_, TCP_NODELAY, FLAG, F_NODELAY, 0, 0, 0},
	{SOL_TCP_, TCP_CORK, FLAG, F_CORK, 0, 0, 0},
	{SOL_TCP_, TCP_QUICKACK, FLAG, F_QUICKACK, 1, 0, 0},
	{SOL_TCP_, TCP_FASTOPEN_CONNECT, FLAG, F_FASTOPEN_CONNECT, 0, 0, 0},
	{SOL_TCP_, TCP_MAXSEG, NUMBER, N_MAXSEG, 536, 88, 32767},
	{SOL_TCP_, TCP_KEEPIDLE, NUMBER, N_KEEPIDLE, 7200, 1, 32767},
	{SOL_TCP_, TCP_KEEPINTVL, NUMBER, N_KEEPINTVL, 75, 1, 32767},
	{SOL_TCP_, TCP_KEEPCNT, NUMBER, N_KEEPCNT, 9, 1, 127},
	{SOL_TCP_, TCP_SYNCNT, NUMBER, N_SYNCNT, 6, 1, 127},
	{SOL_TCP_, TCP_LINGER2, NUMBER, N_LINGER2, 60, -MAX_INT, 120},
	{SOL_TCP_, TCP_DEFER_ACCEPT, NUMBER, N_DEFER_ACCEPT, 0, 0, MAX_INT},
	{SOL_TCP_, TCP_WINDOW_CLAMP, NUMBER, N_WINDOW_CLAMP, 0, 0, MAX_INT},
	{SOL_TCP_, TCP_USER_TIMEOUT, NUMBER, N_USER_TIMEOUT, 0, 0, MAX_INT},
	{SOL_TCP_, TCP_FASTOPEN, NUMBER, N_FASTOPEN, 0, 0, MAX_INT},
	{SOL_TCP_, TCP_NOTSENT_LOWAT, NUMBER, N_NOTSENT_LOWAT, 0, -MAX_INT, MAX_INT},
	{SOL_IP_, IP_TOS, NUMBER, N_TOS, 0, 0, 255},
	{SOL_IP_, IP_TTL, NUMBER, N_TTL, 64, -1, 255},
	{SOL_IP_, IP_MTU_DISCOVER, NUMBER, N_MTU_DISCOVER, 1, 0, 5},
	{SOL_IP_, IP_MULTICAST_TTL, NUMBER, N_MULTICAST_TTL, 1, -1, 255},
	{SOL_IP_, IP_MULTICAST_LOOP, FLAG, F_MULTICAST_LOOP, 1, 0, 0},
	{SOL_IP_, IP_RECVERR, FLAG, F_IP_RECVERR, 0, 0, 0},
	{SOL_IP_, IP_FREEBIND, FLAG, F_FREEBIND, 0, 0, 0},
	{SOL_IP_, IP_BIND_ADDRESS_NO_PORT, FLAG, F_NO_PORT, 0, 0, 0},
	{SOL_IPV6_, IPV6_V6ONLY, FLAG, SOCK_ONLY_IPV6, 0, 0, 0},
	{SOL_IPV6_, IPV6_UNICAST_HOPS, NUMBER, N_HOPS6, 64, -1, 255},
	{SOL_IPV6_, IPV6_MULTICAST_HOPS, NUMBER, N_MULTICAST_HOPS6, 1, -1, 255},
	{SOL_IPV6_, IPV6_MULTICAST_LOOP, FLAG, F_MULTICAST_LOOP6, 1, 0, 0},
	{SOL_IPV6_, IPV6_MTU_DISCOVER, NUMBER, N_MTU_DISCOVER6, 1, 0, 5},
	{SOL_IPV6_, IPV6_RECVERR, FLAG, F_IPV6_RECVERR, 0, 0, 0},
	{SOL_IPV6_, IPV6_TCLASS, NUMBER, N_TCLASS, 0, -1, 255},
};

bool sock_option(const struct vk_sock *s, enum sock_flag_option o)
{
	return s->options.bits >> o & 1;
}

static const struct sock_option_row *find(int level, int name)
{
	for (u32 i = 0; i < HD_ARRAY_LEN(table); i++)
		if (table[i].level == level && table[i].name == name)
			return &table[i];
	return NULL;
}

/* Levels a socket does not have. */
static long check_level(const struct vk_sock *s, int level)
{
	if (level == SOL_SOCKET_)
		return 0;
	if (s->family == NET_UNIX)
		return -EOPNOTSUPP;
	if ((level == SOL_TCP_) != (s->type == NET_STREAM) && (level == SOL_TCP_ || level == SOL_UDP_))
		return -ENOPROTOOPT;
	if (level != SOL_IP_ && level != SOL_TCP_ && level != SOL_UDP_ && level != SOL_IPV6_)
		return -ENOPROTOOPT;
	return level == SOL_IPV6_ && s->family == NET_INET ? -ENOPROTOOPT : 0;
}

/* Linux has no options above that, on any level. */
#define OPTION_MAX 255

static long unknown(const struct vk_call *c, int name, const char *call)
{
	if (name > 0 && name <= OPTION_MAX)
		vk_refuse(c, call);
	return -ENOPROTOOPT;
}

/* ---- asking ---- */

static int table_get(const struct vk_sock *s, const struct sock_option_row *o)
{
	if (o->kind == FLAG)
		return (int)(s->options.bits >> o->at & 1) ^ o->standard;
	return s->options.value[o->at] ^ o->standard;
}

/* Whoever sees it first takes it. */
static int take_error(struct vk_sock *s)
{
	int err = s->error;
	s->error = 0;
	return err || s->flavour != SOCK_PEER ? err : (int)sock_peer_error(s);
}

long sock_take_error(struct vk_call *c, struct vk_desc *d)
{
	if (sock_of(d)->flavour == SOCK_IDLE)
		return 0;
	vk_order(c, vk_socket_object(vk_desc_slot(d)), ACCESS_WRITE);
	return -(long)take_error(sock_of(d));
}

static int buffer_size(const struct vk_sock *s, bool send)
{
	u32 set = send ? s->options.send_buffer : s->options.receive_buffer;
	if (set)
		return (int)set;
	bool tcp = s->type == NET_STREAM && s->family != NET_UNIX;
	return !tcp ? BUFFER_MAX : send ? 16384 : 131072;
}

/* Numbers that are no mere memory; false: not one of them. */
static bool special_get(struct vk_sock *s, int name, int *value)
{
	switch (name) {
	case SO_TYPE:
		*value = s->type;
		return true;
	case SO_DOMAIN:
		*value = s->family;
		return true;
	case SO_PROTOCOL:
		*value = s->protocol;
		return true;
	case SO_ACCEPTCONN:
		*value = s->flavour == SOCK_LISTEN;
		return true;
	case SO_ERROR:
		*value = take_error(s);
		return true;
	case SO_RCVBUF:
	case SO_SNDBUF:
		*value = buffer_size(s, name == SO_SNDBUF);
		return true;
	case SO_RCVLOWAT:
		*value = (int)HD_MAX(s->options.low_water, 1u);
		return true;
	case SO_SNDLOWAT:
		*value = 1;
		return true;
	case SO_INCOMING_CPU:
		*value = -1;
		return true;
	case SO_PASSCRED: /* they can't be switched on */
	case SO_PASSSEC:
	case SO_TIMESTAMP_OLD:
	case SO_TIMESTAMPNS_OLD:
		*value = 0;
		return true;
	}
	return false;
}

union answer {
	struct tcp_info info;
	int number;
	int linger[2];
	long time[2];
	u32 creds[3];
};

static u32 time_answer(u64 ns, union answer *a)
{
	a->time[0] = (long)(ns / 1000000000);
	a->time[1] = (long)(ns % 1000000000 / 1000);
	return sizeof(a->time);
}

static u32 creds_answer(const struct vk_sock *s, union answer *a)
{
	bool known = s->family == NET_UNIX && s->flavour == SOCK_LOCAL;
	a->creds[0] = known ? VK_PID : 0;
	a->creds[1] = known ? (u32)sys_call3(__NR_geteuid, 0, 0, 0) : ~0u;
	a->creds[2] = known ? (u32)sys_call3(__NR_getegid, 0, 0, 0) : ~0u;
	return sizeof(a->creds);
}

enum {
	STATE_ESTABLISHED = 1,
	STATE_SYN_SENT,
	STATE_FIN_WAIT2 = 5,
	STATE_CLOSE = 7,
	STATE_CLOSE_WAIT,
	STATE_LISTEN = 10
};

/* On one machine every FIN is acknowledged at once. */
static u8 tcp_state(const struct vk_sock *s)
{
	if (s->flavour == SOCK_LISTEN)
		return STATE_LISTEN;
	if (s->flavour == SOCK_CONNECTING && !s->refused)
		return STATE_SYN_SENT;
	if (!sock_is_connected(s))
		return STATE_CLOSE;
	if (s->fin_seen || s->end_arrived)
		return STATE_CLOSE_WAIT;
	return s->shut & SHUT_WRITE ? STATE_FIN_WAIT2 : STATE_ESTABLISHED;
}

/* What a connection that was never in trouble says; the rest, which nobody can rely on, is zero. */
static u32 info_answer(const struct vk_sock *s, union answer *a)
{
	a->info = (struct tcp_info){.tcpi_state = tcp_state(s),
				    .tcpi_rto = 204000,
				    .tcpi_ato = 40000,
				    .tcpi_snd_mss = 1448,
				    .tcpi_rcv_mss = 536,
				    .tcpi_pmtu = 1500,
				    .tcpi_rtt = 40,
				    .tcpi_snd_cwnd = 10,
				    .tcpi_advmss = 1448,
				    .tcpi_reordering = 3};
	if (s->flavour == SOCK_LISTEN) {
		while (a->info.tcpi_unacked < SOCK_BACKLOG && s->queue[a->info.tcpi_unacked])
			a->info.tcpi_unacked++;
		a->info.tcpi_sacked = s->backlog;
	}
	return sizeof(a->info);
}

/* Fills in *a; its length, or an error. */
static long answer(const struct vk_call *c, struct vk_sock *s, int level, int name, union answer *a)
{
	const struct sock_option_row *o = find(level, name);
	if (o)
		a->number = table_get(s, o);
	if (o || (level == SOL_SOCKET_ && special_get(s, name, &a->number)))
		return sizeof(a->number);
	if (level == SOL_TCP_ && name == TCP_INFO)
		return info_answer(s, a);
	if (level != SOL_SOCKET_)
		return unknown(c, name, "getsockopt (an unknown option)");
	switch (name) {
	case SO_LINGER:
		a->linger[0] = (int)s->options.lingers;
		a->linger[1] = (int)s->options.linger;
		return sizeof(a->linger);
	case SO_RCVTIMEO_OLD:
	case SO_RCVTIMEO_NEW:
		return time_answer(s->receive_timeout, a);
	case SO_SNDTIMEO_OLD:
	case SO_SNDTIMEO_NEW:
		return time_answer(s->send_timeout, a);
	case SO_PEERCRED:
		return creds_answer(s, a);
	}
	return unknown(c, name, "getsockopt (an unknown option)");
}

long vk_sys_getsockopt(struct vk_call *c)
{
	long err;
	int level = (int)c->a[1], name = (int)c->a[2], *len = vk_user(c->a[4]);
	struct vk_desc *d = sock_use(c, (int)c->a[0], &err);
	if (err)
		return err;
	if ((err = check_level(sock_of(d), level))) /* IPv4 says it in other words */
		return sock_of(d)->family == NET_INET ? -EOPNOTSUPP : err;
	if (!vk_user_out_ok((u64)len, sizeof(*len)))
		return -EFAULT;
	u32 room = (u32)*len; /* IPv6 takes a negative one for a large one */
	if (*len < 0 && level != SOL_IPV6_)
		return -EINVAL;
	bool connecting = sock_of(d)->flavour == SOCK_CONNECTING;
	bool asks_state = level == SOL_TCP_ && name == TCP_INFO;
	if (((level == SOL_SOCKET_ && name == SO_ERROR) || asks_state) && connecting) {
		if (sock_look(c, d, 0, MSG_DONTWAIT_) == VK_RESTART)
			return VK_RESTART;
	} else if (level == SOL_SOCKET_ && name == SO_ERROR && sock_of(d)->flavour != SOCK_IDLE)
		vk_order(c, vk_socket_object(vk_desc_slot(d)), ACCESS_WRITE);
	else if (asks_state)
		vk_order(c, vk_socket_object(vk_desc_slot(d)), ACCESS_READ);
	else
		vk_use(c, vk_socket_options_object(vk_desc_slot(d)), ACCESS_READ);
	union answer a = {0};
	long n = answer(c, sock_of(d), level, name, &a);
	if (n < 0)
		return n;
	n = HD_MIN(n, (long)room);
	if (level == SOL_IP_ && n && n < (long)sizeof(int) && a.number >= 0 && a.number <= 255)
		n = 1;
	if (level != SOL_SOCKET_) /* the length is told first, even if the value can't be */
		*len = (int)n;
	if (n && !vk_user_out_ok((u64)c->a[3], (size_t)n))
		return -EFAULT;
	memcpy(vk_user(c->a[3]), &a, (size_t)n);
	*len = (int)n;
	return 0;
}

/* ---- setting ---- */

/* One that the kernel chose is given back when the connection is over. */
static bool has_port(const struct vk_sock *s)
{
	bool over = (s->flavour == SOCK_LOCAL || s->flavour == SOCK_PEER) && !sock_is_connected(s);
	return s->bound && (s->bound == SOCK_NAMED || !over);
}

static long table_set(struct vk_sock *s, const struct sock_option_row *o, int value)
{
	u32 bit = 1u << o->at;
	if (o->at == SOCK_ONLY_IPV6 && o->kind == FLAG && has_port(s))
		return -EINVAL;
	if (o->kind == FLAG) {
		bool on = (value != 0) != o->standard;
		s->options.bits = on ? s->options.bits | bit : s->options.bits & ~bit;
		return 0;
	}
	if (o->at == N_PRIORITY && (value < o->low || value > o->high) && !vk_may_do_all())
		return -EPERM;
	if (o->at != N_PRIORITY && (value < o->low || value > o->high || (o->at == N_TTL && !value)))
		return -EINVAL;
	if (o->low == -1 && value == -1)
		value = o->standard;
	s->options.value[o->at] = value ^ o->standard;
	return 0;
}

/* Linux doubles it, to make room for its own book-keeping, and tells the double. */
static u32 doubled(int value, int least)
{
	u32 bounded = HD_MIN((u32)value, (u32)BUFFER_MAX); /* as unsigned: negative is a lot */
	return HD_MAX(bounded * 2, (u32)least);
}

static long time_set(const long *t, u32 len, u64 *ns)
{
	if (len < 2 * sizeof(*t))
		return -EINVAL;
	if (t[1] < 0 || t[1] >= 1000000)
		return -EDOM;
	struct __kernel_timespec spec = {.tv_sec = t[0], .tv_nsec = t[1] * 1000};
	*ns = t[0] < 0 ? 0 : vk_time_ns(&spec); /* zero: wait for ever */
	return 0;
}

static long linger_set(struct vk_sock *s, const int *v, u32 len)
{
	if (len < 2 * sizeof(*v))
		return -EINVAL;
	s->options.lingers = v[0] != 0;
	if (v[0])
		s->options.linger = (u32)v[1];
	return 0;
}

static long special_set(const struct vk_call *c, struct vk_sock *s, int name, const void *v, u32 len)
{
	int value = len >= sizeof(int) ? *(const int *)v : 0;
	switch (name) {
	case SO_RCVBUF:
	case SO_RCVBUFFORCE:
		s->options.receive_buffer = doubled(value, RECEIVE_MIN);
		return 0;
	case SO_SNDBUF:
	case SO_SNDBUFFORCE:
		s->options.send_buffer = doubled(value, SEND_MIN);
		return 0;
	case SO_RCVLOWAT:
		s->options.low_water = value < 0 ? MAX_INT : (u32)value;
		return 0;
	case SO_LINGER:
		return linger_set(s, v, len);
	case SO_RCVTIMEO_OLD:
	case SO_RCVTIMEO_NEW:
		return time_set(v, len, &s->receive_timeout);
	case SO_SNDTIMEO_OLD:
	case SO_SNDTIMEO_NEW:
		return time_set(v, len, &s->send_timeout);
	case SO_TYPE:
	case SO_ERROR:
	case SO_DOMAIN:
	case SO_PROTOCOL:
	case SO_ACCEPTCONN:
	case SO_SNDLOWAT:
		return -ENOPROTOOPT;
	case SO_PASSCRED:
	case SO_PASSSEC:
	case SO_TIMESTAMP_OLD:
	case SO_TIMESTAMPNS_OLD:
		if (!value)
			return 0;
		break;
	}
	return unknown(c, name, "setsockopt (an unknown option)");
}

long vk_sys_setsockopt(struct vk_call *c)
{
	long err;
	int level = (int)c->a[1], name = (int)c->a[2];
	u32 len = (u32)c->a[4];
	const void *v = vk_user(c->a[3]);
	struct vk_desc *d = sock_use(c, (int)c->a[0], &err);
	if (err)
		return err;
	if ((int)len < 0)
		return -EINVAL;
	if ((err = check_level(sock_of(d), level)))
		return err;
	bool byte = level == SOL_IP_ && len >= 1 && len < sizeof(int); /* IP takes them as bytes, too */
	if (len < sizeof(int) && !byte)
		return -EINVAL;
	if (!vk_user_ok((u64)v, HD_MIN(len, 2 * (u32)sizeof(long))))
		return -EFAULT;
	vk_use(c, vk_socket_options_object(vk_desc_slot(d)), ACCESS_WRITE);
	const struct sock_option_row *o = find(level, name);
	if (o)
		return table_set(sock_of(d), o, byte ? *(const u8 *)v : *(const int *)v);
	return level == SOL_SOCKET_ ? special_set(c, sock_of(d), name, v, len)
				    : unknown(c, name, "setsockopt (an unknown option)");
}
