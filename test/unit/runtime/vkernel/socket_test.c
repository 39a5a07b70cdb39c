/*
 * Connections to peers, on a scripted network: what each call returns up to the end of the connection and
 * beyond it.
 */
#include "socket_world.h"

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
	assert_memory_equal(fake_net.heard, "hi", 2);
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
	assert_memory_equal(fake_net.heard, "hellohello", 10);
	assert_int_equal(fake_net.writes, 2);
	assert_int_equal(fake.steps, 2);
}

static void a_large_write_goes_in_pieces_of_one_step(void **state)
{
	static char big[(2u << 20) + 7];
	long s = connected();
	assert_int_equal(CALL_3(SYS_write, s, big, sizeof(big)), sizeof(big));
	assert_int_equal(fake_net.writes, 3);
	assert_int_equal(fake.steps, 1);
}

static void a_large_read_crosses_pieces(void **state)
{
	static char big[150001], buf[150001];
	long s = connected();
	memset(big, 'x', sizeof(big) - 1);
	plays(0, big, NET_EOF);
	assert_int_equal(CALL_3(SYS_read, s, buf, sizeof(buf)), sizeof(big) - 1);
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
	assert_int_equal(fake_net.writes, 0);
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
	fake_net.script[fake_net.lines++] = (struct fake_line){
		.ended = true, .says = "abc", .flags = NET_EOF};
	assert_int_equal(CALL_2(SYS_shutdown, s, SHUT_WR), 0);
	assert_int_equal(fake_net.ends, 1);
	assert_int_equal(put(s, "x", MSG_NOSIGNAL), -EPIPE);
	assert_int_equal(get(s, buf, 16, 0), 3); /* the peer answers to the end */
	assert_int_equal(get(s, buf, 16, 0), 0);
	assert_int_equal(CALL_2(SYS_shutdown, s, SHUT_RD), -ENOTCONN); /* both sides have closed */
	assert_int_equal(fake_net.ends, 1);
}

static void reading_can_be_given_up(void **state)
{
	char buf[16];
	long s = connected();
	plays(0, "ab", 0);
	assert_int_equal(CALL_2(SYS_shutdown, s, SHUT_RD), 0);
	assert_int_equal(get(s, buf, 16, 0), 2);
	assert_int_equal(get(s, buf, 16, 0), 0);
	assert_int_equal(fake_net.ends, 0);
}

static void the_last_close_closes(void **state)
{
	assert_int_equal(CALL_1(SYS_close, connected()), 0);
	assert_true(fake_net.sut->closed_any()); /* all that is remembered of a connection */
	struct model_copy *before = model_copy();
	fake_net.closes = 0;
	long s = connected(), t = CALL_1(SYS_dup, s);
	assert_int_equal(CALL_1(SYS_close, s), 0);
	assert_int_equal(fake_net.closes, 0);
	assert_int_equal(CALL_1(SYS_close, t), 0);
	assert_int_equal(fake_net.closes, 1);
	assert_int_equal(fake.last.kind, OP_CLOSE);
	assert_model_is(before);
}

/* ---- connecting and accepting ---- */

static void connecting_is_refused_and_tried_again(void **state)
{
	struct sockaddr_in nobody = server;
	long s = CALL_3(SYS_socket, AF_INET, SOCK_STREAM, 0);
	nobody.sin_port = 0x100;
	assert_int_equal(CALL_3(SYS_connect, s, &nobody, sizeof(nobody)), -ECONNREFUSED);
	assert_int_equal(CALL_3(SYS_connect, s, &server, sizeof(server)), 0);
	assert_int_equal(CALL_3(SYS_connect, s, &server, sizeof(server)), -EISCONN);
	assert_int_equal(fake.last.kind, OP_CONNECT);
	struct sockaddr_in a;
	int len = sizeof(a);
	assert_int_equal(CALL_3(SYS_getpeername, s, &a, &len), 0);
	assert_memory_equal(&a, &server, sizeof(a));
	assert_int_equal(CALL_3(SYS_getsockname, s, &a, &len), 0);
	assert_int_equal(a.sin_addr.s_addr, server.sin_addr.s_addr);
	assert_int_not_equal(a.sin_port, 0);
}

static void clients_come_one_after_the_other(void **state)
{
	struct sockaddr_in a;
	int len = sizeof(a);
	long l = listening();
	assert_blocked(CALL_3(SYS_accept, l, 0, 0));
	fake_net.clients = 2;
	assert_int_equal(polled(l), POLLIN);
	long s = CALL_3(SYS_accept, l, &a, &len);
	assert_true(s > l);
	assert_int_equal(a.sin_port, __builtin_bswap16(50001));
	assert_int_equal(a.sin_addr.s_addr, server.sin_addr.s_addr);
	assert_int_equal(CALL_3(SYS_getsockname, s, &a, &len), 0);
	assert_memory_equal(&a, &server, sizeof(a));
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
	assert_int_equal(fake_call(SYS_setsockopt, s, SOL_SOCKET, SO_RCVTIMEO, (long)t, sizeof(t), 0), 0);
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

static void passing_descriptors_is_refused(void **state)
{
	char control[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8))) = {0};
	*(struct cmsghdr *)control = (struct cmsghdr){
		.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
	struct iovec v = {"x", 1};
	struct msghdr m = {
		.msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
	long s = connected();
	assert_true(CALL_3(SYS_sendmsg, s, &m, 0) < 0);
	assert_int_equal(fake.refused, 1);
	assert_int_equal(fake_net.writes, 0);
}

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
		NET_TEST(passing_descriptors_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
