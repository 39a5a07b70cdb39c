/*
 * socket_options.c: getsockopt and setsockopt: what Linux says of a fresh socket, what is remembered, what is no option.
 *
 * heddle: verdict=verified args=fresh
 * heddle: verdict=verified args=remembered
 * heddle: verdict=verified args=structured
 * heddle: verdict=verified args=wrong
 * heddle: verdict=verified outcomes=1 args=timeout
 * heddle: args=info verdict=verified outcomes=1,8
 * heddle: verdict=incomplete args=unknown refused~="getsockopt" refused_where=@unknown
 * native: args=fresh
 * native: args=remembered
 * native: args=structured
 * native: args=wrong
 * native: args=timeout
 */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "guest.h"

static int get(int s, int level, int name)
{
	int value = -1;
	socklen_t len = sizeof value;
	OK(getsockopt(s, level, name, &value, &len));
	CHECK(len == sizeof value);
	return value;
}

static int set(int s, int level, int name, int value)
{
	return setsockopt(s, level, name, &value, sizeof value);
}

static void fresh(void)
{
	int t = socket(AF_INET, SOCK_STREAM, 0), u = socket(AF_INET6, SOCK_DGRAM, 0),
	    x = socket(AF_UNIX, SOCK_STREAM, 0);
	CHECK(get(t, SOL_SOCKET, SO_TYPE) == SOCK_STREAM && get(u, SOL_SOCKET, SO_TYPE) == SOCK_DGRAM);
	CHECK(get(t, SOL_SOCKET, SO_DOMAIN) == AF_INET && get(x, SOL_SOCKET, SO_DOMAIN) == AF_UNIX);
	CHECK(get(t, SOL_SOCKET, SO_PROTOCOL) == IPPROTO_TCP && get(x, SOL_SOCKET, SO_PROTOCOL) == 0);
	CHECK(get(u, SOL_SOCKET, SO_PROTOCOL) == IPPROTO_UDP);
	CHECK(get(t, SOL_SOCKET, SO_ERROR) == 0 && get(t, SOL_SOCKET, SO_ACCEPTCONN) == 0);
	CHECK(get(t, SOL_SOCKET, SO_REUSEADDR) == 0 && get(t, SOL_SOCKET, SO_KEEPALIVE) == 0);
	CHECK(get(t, SOL_SOCKET, SO_RCVLOWAT) == 1 && get(t, SOL_SOCKET, SO_SNDLOWAT) == 1);
	CHECK(get(t, IPPROTO_TCP, TCP_NODELAY) == 0 && get(t, IPPROTO_TCP, TCP_KEEPIDLE) == 7200);
	CHECK(get(t, IPPROTO_TCP, TCP_KEEPINTVL) == 75 && get(t, IPPROTO_TCP, TCP_KEEPCNT) == 9);
	CHECK(get(t, IPPROTO_IP, IP_TTL) == 64 && get(t, IPPROTO_IP, IP_TOS) == 0);
	CHECK(get(u, IPPROTO_IPV6, IPV6_V6ONLY) == 0);
	CHECK(get(t, SOL_SOCKET, SO_RCVBUF) > 0 && get(t, SOL_SOCKET, SO_SNDBUF) > 0);
	OK(listen(t, 1));
	CHECK(get(t, SOL_SOCKET, SO_ACCEPTCONN) == 1);
}

static void remembered(void)
{
	static const int flags[][2] = {
		{SOL_SOCKET, SO_REUSEADDR}, {SOL_SOCKET, SO_REUSEPORT}, {SOL_SOCKET, SO_KEEPALIVE},
		{SOL_SOCKET, SO_BROADCAST}, {SOL_SOCKET, SO_OOBINLINE}, {IPPROTO_TCP, TCP_NODELAY},
		{IPPROTO_TCP, TCP_CORK},
	};
	static const int numbers[][3] = {
		{IPPROTO_TCP, TCP_KEEPIDLE, 10}, {IPPROTO_TCP, TCP_KEEPINTVL, 11},
		{IPPROTO_TCP, TCP_KEEPCNT, 3},   {IPPROTO_TCP, TCP_USER_TIMEOUT, 5000},
		{IPPROTO_IP, IP_TTL, 7},         {IPPROTO_IP, IP_TOS, 16},
		{SOL_SOCKET, SO_RCVLOWAT, 4},
	};
	int s = socket(AF_INET, SOCK_STREAM, 0);
	for (int k = 0; k < 2; k++) /* on, and off again */
		for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
			OK(set(s, flags[i][0], flags[i][1], k ? 0 : 5));
			CHECK(get(s, flags[i][0], flags[i][1]) == !k);
		}
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		OK(set(s, numbers[i][0], numbers[i][1], numbers[i][2]));
		CHECK(get(s, numbers[i][0], numbers[i][1]) == numbers[i][2]);
	}
	OK(set(s, SOL_SOCKET, SO_RCVBUF, 8000));
	CHECK(get(s, SOL_SOCKET, SO_RCVBUF) == 16000);
	OK(set(s, SOL_SOCKET, SO_SNDBUF, 0));
	CHECK(get(s, SOL_SOCKET, SO_SNDBUF) == 4608);
}

static void structured(void)
{
	int s = socket(AF_INET, SOCK_STREAM, 0);
	struct linger l = {1, 7}, m = {0};
	struct timeval t = {2, 500000}, v = {0};
	socklen_t len = sizeof m;
	OK(setsockopt(s, SOL_SOCKET, SO_LINGER, &l, sizeof l));
	OK(getsockopt(s, SOL_SOCKET, SO_LINGER, &m, &len));
	CHECK(len == sizeof m && m.l_onoff == 1 && m.l_linger == 7);
	l = (struct linger){0, 3}; /* off; Linux keeps the time that was set while it was on */
	OK(setsockopt(s, SOL_SOCKET, SO_LINGER, &l, sizeof l));
	OK(getsockopt(s, SOL_SOCKET, SO_LINGER, &m, &len));
	CHECK(m.l_onoff == 0 && m.l_linger == 7);
	OK(setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t));
	len = sizeof v;
	OK(getsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &v, &len));
	CHECK(len == sizeof v && v.tv_sec == 2 && v.tv_usec == 500000);
	t.tv_usec = 1000000;
	FAILS(setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof t), EDOM);
	len = 1; /* cut off */
	OK(getsockopt(s, SOL_SOCKET, SO_TYPE, &m, &len));
	CHECK(len == 1);
}

static void wrong(void)
{
	int t = socket(AF_INET, SOCK_STREAM, 0), u = socket(AF_INET, SOCK_DGRAM, 0),
	    x = socket(AF_UNIX, SOCK_STREAM, 0);
	socklen_t len = sizeof(int);
	int value;
	FAILS(set(t, SOL_SOCKET, SO_TYPE, 1), ENOPROTOOPT);
	FAILS(set(u, IPPROTO_TCP, TCP_NODELAY, 1), ENOPROTOOPT);
	FAILS(set(x, IPPROTO_TCP, TCP_NODELAY, 1), EOPNOTSUPP);
	FAILS(set(t, IPPROTO_TCP, TCP_KEEPIDLE, 0), EINVAL);
	FAILS(set(t, IPPROTO_TCP, TCP_KEEPCNT, 128), EINVAL);
	FAILS(set(t, IPPROTO_IP, IP_TTL, 256), EINVAL);
	FAILS(setsockopt(t, SOL_SOCKET, SO_REUSEADDR, &value, 1), EINVAL);
	FAILS(setsockopt(t, SOL_SOCKET, SO_REUSEADDR, (void *)8, 4), EFAULT);
	FAILS(getsockopt(t, SOL_SOCKET, SO_TYPE, &value, (void *)8), EFAULT);
	len = -1;
	FAILS(getsockopt(t, SOL_SOCKET, SO_TYPE, &value, &len), EINVAL);
}

/* Nobody comes: accept gives up. */
static void timeout(void)
{
	int s = socket(AF_INET, SOCK_STREAM, 0);
	struct timeval t = {0, 50000};
	OK(setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t));
	OK(listen(s, 1));
	FAILS(accept(s, NULL, NULL), EAGAIN);
	heddle_outcome(1);
}

static int state_of(int s)
{
	struct tcp_info i;
	socklen_t len = sizeof(i);
	OK(getsockopt(s, IPPROTO_TCP, TCP_INFO, &i, &len));
	return i.tcpi_state;
}

static void *closes(void *s)
{
	OK(close(*(int *)s));
	return NULL;
}

/* The state of a connection while the other end closes it. */
static void info(void)
{
	struct sockaddr_in at = {
		.sin_family = AF_INET, .sin_port = htons(4001), .sin_addr = {htonl(INADDR_LOOPBACK)}};
	int l = socket(AF_INET, SOCK_STREAM, 0), s = socket(AF_INET, SOCK_STREAM, 0);
	CHECK(state_of(s) == TCP_CLOSE);
	OK(bind(l, (struct sockaddr *)&at, sizeof(at)));
	OK(listen(l, 3));
	CHECK(state_of(l) == TCP_LISTEN);
	OK(connect(s, (struct sockaddr *)&at, sizeof(at)));
	int other = accept(l, NULL, NULL);
	CHECK(state_of(other) == TCP_ESTABLISHED);
	pthread_t t = spawn(closes, &other);
	int seen = state_of(s);
	CHECK(seen == TCP_ESTABLISHED || seen == TCP_CLOSE_WAIT);
	heddle_outcome(seen);
	join(t);
}

int main(int argc, char **argv)
{
	if (story(argc, argv, "fresh"))
		fresh();
	else if (story(argc, argv, "remembered"))
		remembered();
	else if (story(argc, argv, "structured"))
		structured();
	else if (story(argc, argv, "wrong"))
		wrong();
	else if (story(argc, argv, "timeout"))
		timeout();
	else if (story(argc, argv, "info"))
		info();
	else if (story(argc, argv, "unknown")) {
		char value[256];
		socklen_t len = sizeof(value);
		int s = socket(AF_INET, SOCK_STREAM, 0);
		int n = getsockopt(s, SOL_TCP, TCP_ZEROCOPY_RECEIVE, value, &len); /* @unknown */
		FAILS(n, ENOPROTOOPT);
	}
	return 0;
}
