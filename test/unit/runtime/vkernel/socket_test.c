/*
 * Connections to peers, on a scripted network: one peer, whose answers depend on how many bytes it got; what
 * each call returns up to the end of the connection and beyond it.
 */
#include "vkernel_test.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "runtime/net/net.h"
#include "wire/op_kinds.h"

/* ---- the network ---- */

/* Once it got `got` bytes (and the end, if ended), the peer has said `says` in all. Ascending. */
struct line {
	u64 got;
	bool ended;
	const char *says;
	u32 flags;
};
static struct line script[4];
static u32 lines, clients;
static char heard[4096];
static u32 writes, ends, closes;

static const struct line *said(const struct cache_pos *pos)
{
	const struct line *last = NULL;
	for (u32 i = 0; i < lines; i++)
		if (script[i].got <= pos->written && (!script[i].ended || pos->ended))
			last = &script[i];
	return last;
}

static long open_at(struct cache_pos *pos)
{
	*pos = (struct cache_pos){.tree = 1};
	return 0;
}

long net_connect(const struct net_address *to, struct cache_pos *pos)
{
	return to->port == 1 ? -ECONNREFUSED : open_at(pos);
}

long net_accept(const struct net_address *local, u32 client, struct cache_pos *pos)
{
	assert_int_equal(local->port, 8080);
	assert_in_range(client, 1, clients);
	return open_at(pos);
}

long net_write(struct cache_pos *pos, const void *data, size_t n)
{
	if (pos->written + n <= sizeof heard)
		memcpy(heard + pos->written, data, n);
	pos->written += n;
	writes++;
	return 0;
}

long net_end(struct cache_pos *pos)
{
	pos->ended = 1;
	ends++;
	return 0;
}

long net_close(struct cache_pos *pos)
{
	*pos = (struct cache_pos){0};
	closes++;
	return 0;
}

void net_copy(const struct cache_pos *pos, u64 skip, void *to, size_t n)
{
	memcpy(to, said(pos)->says + pos->read + skip, n);
}

void net_resolve(const struct cache_pos *pos)
{
	(void)pos;
}

bool net_look(const struct cache_pos *pos, u64 *bytes, u32 *flags)
{
	const struct line *l = pos->tree ? said(pos) : NULL;
	*flags = l ? l->flags : 0;
	*bytes = l ? strlen(l->says) - pos->read : 0;
	return pos->tree;
}

u64 net_ask(const struct cache_pos *pos, u32 *flags)
{
	u64 bytes;
	net_look(pos, &bytes, flags);
	return bytes;
}

bool net_has_unknown(void)
{
	return false;
}

static const struct net_sut *sut;

void net_register(const struct net_sut *s)
{
	sut = s;
}

u32 net_clients(void)
{
	return clients;
}

bool net_clients_identical(void)
{
	return false;
}

bool net_client_comes_to(u32 client, u16 port)
{
	return client <= clients && port == 8080;
}

u32 net_next_client(const u64 *taken, u16 port)
{
	for (u32 i = 0; i < clients; i++)
		if (!(taken[i / 64] >> i % 64 & 1) && port == 8080)
			return i + 1;
	return 0;
}

bool net_client_is_next(const u64 *taken, u32 client, u16 port)
{
	return net_next_client(taken, port) == client;
}

bool net_is_full(const struct cache_pos *pos)
{
	(void)pos;
	return false;
}

bool net_comes_again(const struct cache_pos *last)
{
	(void)last;
	return false;
}

long net_accept_again(const struct cache_pos *last, struct cache_pos *pos)
{
	(void)last;
	return open_at(pos);
}

bool net_may_serve(const struct net_address *path)
{
	return path->path[0] == 's';
}

bool net_answered(const struct cache_pos *pos)
{
	(void)pos;
	return false;
}

u32 net_client_of(const struct cache_pos *pos)
{
	return clients && pos->tree;
}

void net_describe_peer(const struct cache_pos *pos, struct text *t)
{
	text_dec(t, (long)pos->tree);
}

static int quiet_network(void **state)
{
	memset(script, 0, sizeof script);
	memset(heard, 0, sizeof heard);
	lines = clients = writes = ends = closes = 0;
	int err = fresh_world(state);
	rt_wire->config.net.always = NET_ACCEPT_ALWAYS | NET_READ_ALWAYS | NET_WRITE_ALWAYS |
				     NET_CONNECT_ALWAYS;
	return err;
}

/* The network may take its time, and fake.alt says how far it has come. */
static int slow_network(void **state)
{
	int err = quiet_network(state);
	rt_wire->config.net.always = 0;
	return err;
}

static void plays(u64 got, const char *says, u32 flags)
{
	script[lines++] = (struct line){.got = got, .says = says, .flags = flags};
}

/* ---- calls ---- */

static const struct sockaddr_in server = {AF_INET, 0x901f /* 8080 */, {0x0100007f}, {0}};

static long connected(void)
{
	long s = CALL_3(SYS_socket, AF_INET, SOCK_STREAM, 0);
	assert_int_equal(CALL_3(SYS_connect, s, &server, sizeof server), 0);
	fake.steps = 0;
	return s;
}

static long get(long s, char *buf, size_t n, int flags)
{
	memset(buf, 0, n);
	return fake_call(SYS_recvfrom, s, (long)buf, (long)n, flags, 0, 0);
}

static long put(long s, const char *text, int flags)
{
	return fake_call(SYS_sendto, s, (long)text, (long)strlen(text), flags, 0, 0);
}

static int option(long s, int name)
{
	int value = -1, len = sizeof value;
	assert_int_equal(fake_call(SYS_getsockopt, s, SOL_SOCKET, name, (long)&value, (long)&len, 0), 0);
	return value;
}

static int polled(long s)
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

/* ---- data ---- */

static void bytes_come_when_the_peer_has_said_them(void **state)
{
	char buf[16];
	long s = connected();
	plays(0, "", 0);
	plays(2, "hello", 0);
	assert_blocked(get(s, buf, 16, 0));
	assert_int_equal(fake.last.kind, OP_RECV);
	assert_int_equal(put(s, "hi", 0), 2);
	assert_memory_equal(heard, "hi", 2);
	assert_int_equal(get(s, buf, 3, 0), 3);
	assert_string_equal(buf, "hel");
	assert_int_equal(get(s, buf, 16, 0), 2);
	assert_string_equal(buf, "lo");
	assert_blocked(get(s, buf, 16, 0));
	assert_int_equal(fake.steps, 5);
}

static void peek_leaves_what_it_shows(void **state)
{
	char buf[16];
	long s = connected();
	plays(0, "abc", 0);
	plays(1, "abcdef", 0);
	assert_int_equal(get(s, buf, 16, MSG_PEEK), 3);
	assert_string_equal(buf, "abc");
	assert_blocked(get(s, buf, 5, MSG_PEEK | MSG_WAITALL));
	assert_int_equal(put(s, "x", 0), 1);
	assert_int_equal(get(s, buf, 5, MSG_PEEK | MSG_WAITALL), 5);
	assert_string_equal(buf, "abcde");
	assert_int_equal(get(s, buf, 2, MSG_TRUNC), 2); /* thrown away unseen */
	assert_string_equal(buf, "");
	assert_int_equal(get(s, buf, 16, 0), 4);
	assert_string_equal(buf, "cdef");
}

static long talker;
static void another_fiber_asks(void)
{
	fake.slot = 1;
	assert_int_equal(put(talker, "x", 0), 1);
}

static void wait_for_all_collects_what_comes(void **state)
{
	char buf[16];
	talker = connected();
	plays(0, "", 0);
	plays(1, "abcdef", NET_EOF);
	fake.during_step = another_fiber_asks;
	assert_int_equal(get(talker, buf, 6, MSG_WAITALL), 6);
	assert_string_equal(buf, "abcdef");
	assert_int_equal(get(talker, buf, 6, MSG_WAITALL), 0);
}

static void wait_for_all_ends_with_the_connection(void **state)
{
	char buf[16];
	long s = connected();
	plays(0, "abc", NET_RESET);
	assert_int_equal(get(s, buf, 16, MSG_WAITALL), 3);
	assert_int_equal(get(s, buf, 16, MSG_WAITALL), -ECONNRESET); /* not lost */
}

static void a_call_is_one_write_whatever_its_pieces(void **state)
{
	long s = connected();
	struct iovec v[3] = {{"he", 2}, {"", 0}, {"llo", 3}};
	struct msghdr m = {.msg_iov = v, .msg_iovlen = 3};
	assert_int_equal(CALL_3(SYS_writev, s, v, 3), 5);
	assert_int_equal(CALL_3(SYS_sendmsg, s, &m, 0), 5);
	assert_memory_equal(heard, "hellohello", 10);
	assert_int_equal(writes, 2);
	assert_int_equal(fake.steps, 2);
}

static void a_large_write_goes_in_pieces_of_one_step(void **state)
{
	static char big[(2u << 20) + 7];
	long s = connected();
	assert_int_equal(CALL_3(SYS_write, s, big, sizeof big), sizeof big);
	assert_int_equal(writes, 3);
	assert_int_equal(fake.steps, 1);
}

static void a_large_read_crosses_pieces(void **state)
{
	static char big[150001], buf[150001];
	long s = connected();
	memset(big, 'x', sizeof big - 1);
	plays(0, big, NET_EOF);
	assert_int_equal(CALL_3(SYS_read, s, buf, sizeof buf), sizeof big - 1);
	assert_string_equal(buf, big);
}

static void vectors_are_filled_in_order(void **state)
{
	char a[3] = {0}, b[8] = {0};
	struct iovec v[2] = {{a, 2}, {b, 7}};
	struct msghdr m = {.msg_iov = v, .msg_iovlen = 2, .msg_controllen = 5, .msg_flags = 77};
	long s = connected();
	plays(0, "abcde", 0);
	assert_int_equal(CALL_3(SYS_recvmsg, s, &m, 0), 5);
	assert_string_equal(a, "ab");
	assert_string_equal(b, "cde");
	assert_int_equal(m.msg_flags, 0);
	assert_int_equal(m.msg_controllen, 0);
}

static void pending_bytes_are_told(void **state)
{
	int n = -1;
	long s = connected();
	plays(0, "abc", NET_EOF);
	assert_int_equal(CALL_3(SYS_ioctl, s, 0x541b /* FIONREAD */, &n), 0);
	assert_int_equal(n, 3);
}

/* ---- the end ---- */

static void after_the_peers_end_reads_give_nothing(void **state)
{
	char buf[16];
	long s = connected();
	plays(0, "abc", NET_EOF);
	assert_int_equal(polled(s), POLLIN | POLLOUT | POLLRDHUP);
	assert_int_equal(get(s, buf, 16, 0), 3);
	assert_int_equal(get(s, buf, 16, 0), 0);
	assert_int_equal(get(s, buf, 16, 0), 0);
	assert_int_equal(put(s, "x", 0), 1); /* it may still listen */
}

static void a_reset_is_told_once_to_readers(void **state)
{
	char buf[16];
	long s = connected();
	plays(0, "abc", NET_RESET);
	assert_int_equal(polled(s), POLLIN | POLLOUT | POLLRDHUP | POLLHUP | POLLERR);
	assert_int_equal(get(s, buf, 16, 0), 3); /* what came before it stays */
	assert_int_equal(get(s, buf, 16, 0), -ECONNRESET);
	assert_int_equal(get(s, buf, 16, 0), 0);
	assert_int_equal(polled(s), POLLIN | POLLOUT | POLLRDHUP | POLLHUP);
	assert_int_equal(put(s, "x", MSG_NOSIGNAL), -EPIPE);
	assert_int_equal(writes, 0);
}

static void a_reset_is_told_once_to_writers(void **state)
{
	char buf[16];
	long s = connected();
	plays(0, "abc", NET_RESET);
	assert_int_equal(put(s, "x", 0), -ECONNRESET); /* without a signal */
	IGNORE_SIGPIPE();
	assert_int_equal(put(s, "x", 0), -EPIPE);
	assert_int_equal(get(s, buf, 16, 0), 3);
	assert_int_equal(get(s, buf, 16, 0), 0);
}

static void a_reset_is_told_once_as_an_option(void **state)
{
	long s = connected();
	plays(0, "", NET_RESET);
	assert_int_equal(option(s, SO_ERROR), ECONNRESET);
	assert_int_equal(option(s, SO_ERROR), 0);
	assert_int_equal(put(s, "x", MSG_NOSIGNAL), -EPIPE);
}

static void who_writes_to_a_peer_that_has_closed_gets_a_signal(void **state)
{
	char buf[16];
	long s = connected();
	plays(0, "", NET_EOF);
	plays(1, "", NET_EOF | NET_RESET);
	assert_int_equal(put(s, "x", 0), 1); /* answered by a reset */
	assert_int_equal(get(s, buf, 16, 0), 0);
	put(s, "x", 0);
	assert_int_equal(fake_how(), FAKE_VIOLATION);
	assert_non_null(strstr(fake.message, "SIGPIPE"));
}

static void shutting_down_ends_each_side(void **state)
{
	char buf[16];
	long s = connected();
	plays(0, "ab", 0);
	script[lines++] = (struct line){.ended = true, .says = "abc", .flags = NET_EOF};
	assert_int_equal(CALL_2(SYS_shutdown, s, SHUT_WR), 0);
	assert_int_equal(ends, 1);
	assert_int_equal(put(s, "x", MSG_NOSIGNAL), -EPIPE);
	assert_int_equal(get(s, buf, 16, 0), 3); /* the peer answers to the end */
	assert_int_equal(get(s, buf, 16, 0), 0);
	assert_int_equal(CALL_2(SYS_shutdown, s, SHUT_RD), -ENOTCONN); /* both sides have closed */
	assert_int_equal(ends, 1);
}

static void reading_can_be_given_up(void **state)
{
	char buf[16];
	long s = connected();
	plays(0, "ab", 0);
	assert_int_equal(CALL_2(SYS_shutdown, s, SHUT_RD), 0);
	assert_int_equal(get(s, buf, 16, 0), 2);
	assert_int_equal(get(s, buf, 16, 0), 0);
	assert_int_equal(ends, 0);
}

static void the_last_close_closes(void **state)
{
	assert_int_equal(CALL_1(SYS_close, connected()), 0);
	assert_true(sut->closed_any()); /* all that is remembered of a connection */
	void *before = model_copy();
	closes = 0;
	long s = connected(), t = CALL_1(SYS_dup, s);
	assert_int_equal(CALL_1(SYS_close, s), 0);
	assert_int_equal(closes, 0);
	assert_int_equal(CALL_1(SYS_close, t), 0);
	assert_int_equal(closes, 1);
	assert_int_equal(fake.last.kind, OP_CLOSE);
	assert_model_is(before);
}

/* ---- connecting and accepting ---- */

static void connecting_is_refused_and_tried_again(void **state)
{
	struct sockaddr_in nobody = server;
	long s = CALL_3(SYS_socket, AF_INET, SOCK_STREAM, 0);
	nobody.sin_port = 0x100;
	assert_int_equal(CALL_3(SYS_connect, s, &nobody, sizeof nobody), -ECONNREFUSED);
	assert_int_equal(CALL_3(SYS_connect, s, &server, sizeof server), 0);
	assert_int_equal(CALL_3(SYS_connect, s, &server, sizeof server), -EISCONN);
	assert_int_equal(fake.last.kind, OP_CONNECT);
	struct sockaddr_in a;
	int len = sizeof a;
	assert_int_equal(CALL_3(SYS_getpeername, s, &a, &len), 0);
	assert_memory_equal(&a, &server, sizeof a);
	assert_int_equal(CALL_3(SYS_getsockname, s, &a, &len), 0);
	assert_int_equal(a.sin_addr.s_addr, server.sin_addr.s_addr);
	assert_int_not_equal(a.sin_port, 0);
}

static long listening(void)
{
	struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = server.sin_port};
	long l = CALL_3(SYS_socket, AF_INET, SOCK_STREAM, 0);
	assert_int_equal(CALL_3(SYS_bind, l, &any, sizeof any), 0);
	assert_int_equal(CALL_2(SYS_listen, l, 5), 0);
	return l;
}

static void clients_come_one_after_the_other(void **state)
{
	struct sockaddr_in a;
	int len = sizeof a;
	long l = listening();
	assert_blocked(CALL_3(SYS_accept, l, 0, 0));
	clients = 2;
	assert_int_equal(polled(l), POLLIN);
	long s = CALL_3(SYS_accept, l, &a, &len);
	assert_true(s > l);
	assert_int_equal(a.sin_port, __builtin_bswap16(50001));
	assert_int_equal(a.sin_addr.s_addr, server.sin_addr.s_addr);
	assert_int_equal(CALL_3(SYS_getsockname, s, &a, &len), 0);
	assert_memory_equal(&a, &server, sizeof a);
	s = CALL_4(SYS_accept4, l, &a, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
	assert_int_equal(a.sin_port, __builtin_bswap16(50002));
	assert_int_equal(CALL_2(SYS_fcntl, s, F_GETFD), FD_CLOEXEC);
	assert_blocked(CALL_3(SYS_accept, l, 0, 0));
	assert_int_equal(fake.last.kind, OP_ACCEPT);
}

static long stopped;
static void another_fiber_stops_it(void)
{
	fake.slot = 1;
	assert_int_equal(CALL_2(SYS_shutdown, stopped, SHUT_RDWR), 0);
}

static void a_listener_that_is_shut_down_wakes_who_accepts(void **state)
{
	stopped = listening();
	fake.during_step = another_fiber_stops_it;
	assert_int_equal(CALL_3(SYS_accept, stopped, 0, 0), -EINVAL);
}

/* ---- time ---- */

static void a_time_out_is_an_outcome_even_if_data_is_there(void **state)
{
	char buf[16];
	long t[2] = {1, 500000};
	long s = connected();
	assert_int_equal(fake_call(SYS_setsockopt, s, SOL_SOCKET, SO_RCVTIMEO, (long)t, sizeof t, 0), 0);
	plays(0, "", 0);
	plays(1, "abc", 0);
	assert_int_equal(get(s, buf, 16, 0), -EAGAIN);
	assert_int_equal(fake.now, 1500000000);
	assert_int_equal(put(s, "x", 0), 1);
	assert_int_equal(get(s, buf, 16, 0), 3);
	assert_true(fake.last.flags & OPF_LATE);
	assert_true(fake.last.deadline);
}

static void who_must_not_wait_gets_what_has_arrived(void **state)
{
	char buf[16];
	long s = connected();
	plays(0, "", 0);
	assert_int_equal(get(s, buf, 16, MSG_DONTWAIT), -EAGAIN);
	assert_int_equal(fake.refused, 0);
}

/* ---- how far the network has come ---- */

static void what_has_been_seen_stays(void **state)
{
	char buf[16];
	long s = connected();
	plays(0, "abc", 0);
	fake.alt = 0;
	assert_int_equal(get(s, buf, 16, MSG_DONTWAIT), -EAGAIN);
	assert_int_equal(polled(s), POLLOUT);
	fake.alt = 1;
	assert_int_equal(polled(s), POLLIN | POLLOUT);
	fake.alt = 0;
	assert_int_equal(polled(s), POLLIN | POLLOUT);
	assert_int_equal(get(s, buf, 2, MSG_DONTWAIT), 2);
	assert_int_equal(get(s, buf, 2, MSG_DONTWAIT), 1);
	assert_int_equal(get(s, buf, 2, MSG_DONTWAIT), -EAGAIN);
}

static void bytes_come_in_parts_if_asked_for(void **state)
{
	static const long amounts[] = {-EAGAIN, 1, 4, 5};
	char buf[16];
	rt_wire->config.net.short_io = 1;
	for (u32 i = 0; i < 4; i++) {
		long s = connected();
		lines = 0;
		plays(0, "hello", 0);
		fake.alt = i;
		assert_int_equal(get(s, buf, 16, MSG_DONTWAIT), amounts[i]);
		fake.alt = 0;
		assert_int_equal(get(s, buf, 2, MSG_PEEK | MSG_DONTWAIT), -EAGAIN);
		fake.alt = 9;
		get(s, buf, 16, 0);
		assert_int_equal(get(s, buf, 16, MSG_DONTWAIT), -EAGAIN);
	}
}

static void an_end_comes_with_the_last_bytes_or_behind_them(void **state)
{
	char buf[16];
	long s = connected();
	plays(0, "ab", NET_EOF);
	fake.alt = 1; /* the bytes */
	assert_int_equal(polled(s), POLLIN | POLLOUT);
	fake.alt = 0;
	assert_int_equal(get(s, buf, 16, MSG_DONTWAIT), 2);
	assert_int_equal(get(s, buf, 16, MSG_DONTWAIT), -EAGAIN);
	fake.alt = 1;
	assert_int_equal(get(s, buf, 16, MSG_DONTWAIT), 0);
	fake.alt = 0;
	assert_int_equal(polled(s), POLLIN | POLLOUT | POLLRDHUP);
	s = connected();
	fake.alt = 2; /* both */
	assert_int_equal(polled(s), POLLIN | POLLOUT | POLLRDHUP);
}

static void a_short_write_means_that_there_is_no_room(void **state)
{
	static char large[10001];
	long s = connected();
	memset(large, 'x', 10000);
	plays(0, "", 0);
	rt_wire->config.net.short_io = 1;
	fake.alt = 1;
	assert_int_equal(put(s, "hello", MSG_DONTWAIT), 5); /* there is room for that */
	assert_int_equal(put(s, large, MSG_DONTWAIT), 5000);
	fake.alt = 0;
	assert_int_equal(polled(s), 0);
	fake.alt = 9;
	assert_int_equal(put(s, "hello", MSG_DONTWAIT), -EAGAIN);
	assert_int_equal(polled(s), POLLOUT);
	fake.alt = 2;
	assert_int_equal(put(s, large, MSG_DONTWAIT), 9999);
	fake.alt = 0;
	assert_int_equal(put(s, "o", MSG_DONTWAIT), 1);
	assert_int_equal(polled(s), POLLOUT);
}

static void a_client_that_was_seen_can_be_accepted(void **state)
{
	long l = listening();
	assert_int_equal(CALL_3(SYS_fcntl, l, F_SETFL, O_NONBLOCK), 0);
	clients = 1;
	fake.alt = 1;
	assert_int_equal(CALL_3(SYS_accept, l, 0, 0), -EAGAIN);
	assert_int_equal(polled(l), POLLIN);
	assert_true(CALL_3(SYS_accept, l, 0, 0) > l);
	assert_int_equal(polled(l), 0);
	assert_int_equal(CALL_3(SYS_accept, l, 0, 0), -EAGAIN);
}

static void a_connect_that_does_not_wait_is_under_way(void **state)
{
	char buf[16];
	long s = CALL_3(SYS_socket, AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	plays(0, "", 0);
	fake.alt = 0;
	assert_int_equal(CALL_3(SYS_connect, s, &server, sizeof server), -EINPROGRESS);
	assert_int_equal(polled(s), 0);
	assert_int_equal(CALL_3(SYS_connect, s, &server, sizeof server), -EALREADY);
	assert_int_equal(get(s, buf, 16, 0), -EAGAIN);
	assert_int_equal(put(s, "x", 0), -EAGAIN);
	assert_int_equal(option(s, SO_ERROR), 0);
	fake.alt = 1;
	assert_int_equal(polled(s), POLLOUT);
	fake.alt = 0;
	assert_int_equal(polled(s), POLLOUT);
	assert_int_equal(option(s, SO_ERROR), 0);
	assert_int_equal(CALL_3(SYS_connect, s, &server, sizeof server), 0);
	assert_int_equal(CALL_3(SYS_connect, s, &server, sizeof server), -EISCONN);
	assert_int_equal(put(s, "x", 0), 1);
}

static void passing_descriptors_is_refused(void **state)
{
	char control[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8))) = {0};
	*(struct cmsghdr *)control = (struct cmsghdr){
		.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
	struct iovec v = {"x", 1};
	struct msghdr m = {
		.msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
	long s = connected();
	assert_true(CALL_3(SYS_sendmsg, s, &m, 0) < 0);
	assert_int_equal(fake.refused, 1);
	assert_int_equal(writes, 0);
}

#define NET_TEST(f) cmocka_unit_test_setup(f, quiet_network)
#define SLOW_TEST(f) cmocka_unit_test_setup(f, slow_network)

int main(void)
{
	const struct CMUnitTest tests[] = {
		NET_TEST(bytes_come_when_the_peer_has_said_them),
		NET_TEST(peek_leaves_what_it_shows),
		NET_TEST(wait_for_all_collects_what_comes),
		NET_TEST(wait_for_all_ends_with_the_connection),
		NET_TEST(a_call_is_one_write_whatever_its_pieces),
		NET_TEST(a_large_write_goes_in_pieces_of_one_step),
		NET_TEST(a_large_read_crosses_pieces),
		NET_TEST(vectors_are_filled_in_order),
		NET_TEST(pending_bytes_are_told),
		NET_TEST(after_the_peers_end_reads_give_nothing),
		NET_TEST(a_reset_is_told_once_to_readers),
		NET_TEST(a_reset_is_told_once_to_writers),
		NET_TEST(a_reset_is_told_once_as_an_option),
		NET_TEST(who_writes_to_a_peer_that_has_closed_gets_a_signal),
		NET_TEST(shutting_down_ends_each_side),
		NET_TEST(reading_can_be_given_up),
		NET_TEST(the_last_close_closes),
		NET_TEST(connecting_is_refused_and_tried_again),
		NET_TEST(clients_come_one_after_the_other),
		NET_TEST(a_listener_that_is_shut_down_wakes_who_accepts),
		NET_TEST(a_time_out_is_an_outcome_even_if_data_is_there),
		NET_TEST(who_must_not_wait_gets_what_has_arrived),
		SLOW_TEST(what_has_been_seen_stays),
		SLOW_TEST(bytes_come_in_parts_if_asked_for),
		SLOW_TEST(an_end_comes_with_the_last_bytes_or_behind_them),
		SLOW_TEST(a_short_write_means_that_there_is_no_room),
		SLOW_TEST(a_client_that_was_seen_can_be_accepted),
		SLOW_TEST(a_connect_that_does_not_wait_is_under_way),
		NET_TEST(passing_descriptors_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
