/*
 * socket_world.h: what the tests of sockets share: a world with one peer, and calls in short.
 */
#ifndef HEDDLE_TEST_SOCKET_WORLD_H
#define HEDDLE_TEST_SOCKET_WORLD_H

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "fake_net.h"
#include "vkernel_test.h"
#include "wire/op_kinds.h"

static inline int quiet_network(void **state)
{
	const struct net_sut *sut = fake_net.sut;
	fake_net = (struct fake_net){.there = true, .sut = sut};
	int err = fresh_world(state);
	rt_wire->config.net.always = NET_ACCEPT_ALWAYS | NET_READ_ALWAYS | NET_WRITE_ALWAYS |
				     NET_CONNECT_ALWAYS;
	return err;
}

/* The network may take its time, and fake.alt says how far it has come. */
static inline int slow_network(void **state)
{
	int err = quiet_network(state);
	rt_wire->config.net.always = 0;
	return err;
}

static inline void plays(u64 got, const char *says, u32 flags)
{
	fake_net.script[fake_net.lines++] = (struct fake_line){.got = got, .says = says, .flags = flags};
}

/* ---- calls ---- */

static const struct sockaddr_in server = {AF_INET, 0x901f /* 8080 */, {0x0100007f}, {0}};

static inline long connected(void)
{
	long s = CALL_3(SYS_socket, AF_INET, SOCK_STREAM, 0);
	assert_int_equal(CALL_3(SYS_connect, s, &server, sizeof(server)), 0);
	fake.steps = 0;
	return s;
}

static inline long listening(void)
{
	struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = server.sin_port};
	long l = CALL_3(SYS_socket, AF_INET, SOCK_STREAM, 0);
	assert_int_equal(CALL_3(SYS_bind, l, &any, sizeof(any)), 0);
	assert_int_equal(CALL_2(SYS_listen, l, 5), 0);
	return l;
}

static inline long get(long s, char *buf, size_t n, int flags)
{
	memset(buf, 0, n);
	return fake_call(SYS_recvfrom, s, (long)buf, (long)n, flags, 0, 0);
}

static inline long put(long s, const char *text, int flags)
{
	return fake_call(SYS_sendto, s, (long)text, (long)strlen(text), flags, 0, 0);
}

static inline int option(long s, int name)
{
	int value = -1, len = sizeof(value);
	assert_int_equal(fake_call(SYS_getsockopt, s, SOL_SOCKET, name, (long)&value, (long)&len, 0), 0);
	return value;
}

static inline int polled(long s)
{
	struct pollfd p = {(int)s, POLLIN | POLLOUT | POLLRDHUP, 0};
	CALL_3(SYS_poll, &p, 1, 0);
	return p.revents;
}

#define IGNORE_SIGPIPE() \
	do { \
		long ignore[4] = {1}; \
		assert_int_equal(CALL_4(SYS_rt_sigaction, SIGPIPE, ignore, 0, 8), 0); \
	} while (0)

#define NET_TEST(f) cmocka_unit_test_setup(f, quiet_network)
#define SLOW_TEST(f) cmocka_unit_test_setup(f, slow_network)

#endif
