/* How far the network has come: what has arrived is an outcome of whoever looks, and stays. */
#include "socket_world.h"

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
		fake_net.lines = 0;
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
	fake_net.clients = 1;
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
	assert_int_equal(CALL_3(SYS_connect, s, &server, sizeof(server)), -EINPROGRESS);
	assert_int_equal(polled(s), 0);
	assert_int_equal(CALL_3(SYS_connect, s, &server, sizeof(server)), -EALREADY);
	assert_int_equal(get(s, buf, 16, 0), -EAGAIN);
	assert_int_equal(put(s, "x", 0), -EAGAIN);
	assert_int_equal(option(s, SO_ERROR), 0);
	fake.alt = 1;
	assert_int_equal(polled(s), POLLOUT);
	fake.alt = 0;
	assert_int_equal(polled(s), POLLOUT);
	assert_int_equal(option(s, SO_ERROR), 0);
	assert_int_equal(CALL_3(SYS_connect, s, &server, sizeof(server)), 0);
	assert_int_equal(CALL_3(SYS_connect, s, &server, sizeof(server)), -EISCONN);
	assert_int_equal(put(s, "x", 0), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SLOW_TEST(what_has_been_seen_stays),
		SLOW_TEST(bytes_come_in_parts_if_asked_for),
		SLOW_TEST(an_end_comes_with_the_last_bytes_or_behind_them),
		SLOW_TEST(a_short_write_means_that_there_is_no_room),
		SLOW_TEST(a_client_that_was_seen_can_be_accepted),
		SLOW_TEST(a_connect_that_does_not_wait_is_under_way),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
