#include "play_option.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#define PLAY(f) void f(kernel *k, const struct step *s, struct answer *out)

enum { READ_ONLY = 1 };
static const struct {
	int level, name, how;
} options[] = {
	{SOL_SOCKET, SO_TYPE, 0},
	{SOL_SOCKET, SO_ERROR, 0},
	{SOL_SOCKET, SO_ERROR, 0},
	{SOL_SOCKET, SO_ACCEPTCONN, 0},
	{SOL_SOCKET, SO_DOMAIN, 0},
	{SOL_SOCKET, SO_PROTOCOL, 0},
	{SOL_SOCKET, SO_KEEPALIVE, 0},
	{SOL_SOCKET, SO_BROADCAST, 0},
	{SOL_SOCKET, SO_OOBINLINE, 0},
	{SOL_SOCKET, SO_REUSEPORT, READ_ONLY}, /* ports are shared out by chance then */
	{SOL_SOCKET, SO_SNDLOWAT, 0},
	{SOL_SOCKET, SO_RCVLOWAT, READ_ONLY}, /* what waits is tried without waiting: then it has no effect */
	{SOL_SOCKET, SO_PRIORITY, READ_ONLY}, /* what may be set is a question of rights */
	{SOL_SOCKET, SO_DONTROUTE, READ_ONLY},
	{SOL_SOCKET, SO_INCOMING_CPU, READ_ONLY | 2}, /* which one, nobody knows: compared as set or not */
	{SOL_SOCKET, SO_TIMESTAMP, 0},
	{SOL_SOCKET, SO_RCVTIMEO, READ_ONLY},
	{SOL_SOCKET, 9999, 0},
	{IPPROTO_TCP, TCP_NODELAY, 0},
	{IPPROTO_TCP, TCP_KEEPIDLE, 0},
	{IPPROTO_TCP, TCP_KEEPINTVL, 0},
	{IPPROTO_TCP, TCP_KEEPCNT, 0},
	{IPPROTO_TCP, TCP_USER_TIMEOUT, 0},
	{IPPROTO_TCP, TCP_SYNCNT, 0},
	{IPPROTO_TCP, TCP_CORK, READ_ONLY}, /* holds data back, for a fifth of a second */
	{IPPROTO_IP, IP_TTL, 0},
	{IPPROTO_IP, IP_TOS, READ_ONLY},
	{IPPROTO_IP, IP_RECVERR, READ_ONLY}, /* errors then come where they did not */
	{IPPROTO_IPV6, IPV6_V6ONLY, 0},
	{IPPROTO_IPV6, IPV6_UNICAST_HOPS, 0},
	{77, 1, 0},
};
#define OPTIONS (sizeof(options) / sizeof(options[0]))

PLAY(play_getsockopt)
{
	unsigned i = s->flags % OPTIONS;
	char value[16] = {[0 ... 15] = 7};
	static const int lengths[] = {4, 4, 4, 4, 16, 2, 0, -1};
	int len = lengths[s->n % 8];
	out->ret = k(SYS_getsockopt, s->fd, options[i].level, options[i].name, (long)value, (long)&len, 0);
	answer_add_long(out, len);
	if (!(options[i].how & 2))
		answer_add(out, value, sizeof(value));
}

PLAY(play_setsockopt)
{
	static const int values[] = {0, 1, 1, 2, 60, 126, 255, 256, 40000, -1, -2, 1 << 30};
	unsigned i = s->flags % OPTIONS;
	int value = values[s->n % (sizeof(values) / sizeof(values[0]))];
	if (options[i].how & READ_ONLY)
		return;
	out->ret = k(SYS_setsockopt, s->fd, options[i].level, options[i].name, (long)&value,
		     s->n >> 8 & 7 ? sizeof(value) : 2, 0);
}

/* Of zero seconds it turns the end of a TCP connection into a reset. */
PLAY(play_linger)
{
	struct linger l = {.l_onoff = s->n & 1, .l_linger = s->n >> 1 & 1};
	socklen_t len = sizeof(l);
	if (s->n & 4)
		out->ret = k(SYS_getsockopt, s->fd, SOL_SOCKET, SO_LINGER, (long)&l, (long)&len, 0);
	else
		out->ret = k(SYS_setsockopt, s->fd, SOL_SOCKET, SO_LINGER, (long)&l, len, 0);
	answer_add(out, &l, sizeof(l));
}

/*
 * Of all it says only the state is the connection's own; and when the other end acknowledges a FIN is the
 * other end's affair: states that wait for that count as those behind them.
 */
PLAY(play_tcp_info)
{
	struct tcp_info info = {.tcpi_state = 99};
	socklen_t len = sizeof(info);
	out->ret = k(SYS_getsockopt, s->fd, IPPROTO_TCP, TCP_INFO, (long)&info, (long)&len, 0);
	if (info.tcpi_state == TCP_FIN_WAIT1)
		info.tcpi_state = TCP_FIN_WAIT2;
	if (info.tcpi_state == TCP_LAST_ACK || info.tcpi_state == TCP_CLOSING)
		info.tcpi_state = TCP_CLOSE;
	answer_add_long(out, info.tcpi_state);
}
