/*
 * errors_test.c: what the broker says of peers that end, stay away, do not read, talk to others, or come
 * twice; and of long replies.
 */
#include "peer.h"
#include "world.h"

#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static u32 open_to(const struct net_address *at)
{
	assert_int_equal(world_open(at, 0), 0);
	return world_net->conn;
}

static u32 open_server(const char *manner, const char *kind, struct net_address *at)
{
	world_server(manner, kind, at);
	return open_to(at);
}

static void expect_words(const char *words)
{
	if (!strstr(world_net->text, words))
		fail_msg("\"%s\" is not in \"%s\"", words, world_net->text);
}

static int setup(void **state)
{
	(void)state;
	world_begin(5000);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	world_end();
	return 0;
}

static void greeting_is_heard(void **state)
{
	struct net_address at;
	u32 conn = open_server("greet", "tcp", &at);

	(void)state;
	world_exchange(conn, "");
	assert_true(world_answered("re welcome\n"));
	assert_int_equal(world_net->flags, 0);
	expect_words("read on this connection");
}

static void quiet_peer_is_described(void **state)
{
	struct net_address at;
	u32 conn = open_server("threads", "tcp", &at);
	char port[40];

	(void)state;
	assert_true(world_ask(conn, 1));
	snprintf(port, sizeof(port), "accept on port %u", at.port);
	expect_words(port);
	expect_words("read on this connection");
}

static void time_out_is_noted(void **state)
{
	struct net_address at;
	u32 conn = open_server("timed", "tcp", &at);

	(void)state;
	assert_true(world_ask(conn, 1));
	assert_int_equal(world_net->flags, NET_TIMED);
	expect_words("poll (with a time-out)");
}

static void closed_by_the_peer(void **state)
{
	struct net_address at;
	u32 conn = open_server("close", "tcp", &at);

	(void)state;
	assert_true(world_ask(conn, 1));
	assert_int_equal(world_net->flags, NET_EOF);
	world_exchange(conn, "2\n");
	assert_int_equal(world_net->status, 0);
	assert_int_equal(world_net->len, 0);
	assert_int_equal(world_net->flags, NET_EOF | NET_RESET);
}

static void closed_by_the_peer_unix(void **state)
{
	struct net_address at;
	u32 conn = open_server("close", "unix", &at);

	(void)state;
	assert_true(world_ask(conn, 1));
	assert_int_equal(world_net->flags, NET_EOF);
}

static void reset_by_the_peer(void **state)
{
	struct net_address at;
	u32 conn = open_server("reset", "tcp", &at);

	(void)state;
	assert_int_equal(world_exchange(conn, "1\n"), 0);
	assert_int_equal(world_net->flags, NET_RESET);
}

static void end_of_ours_is_seen(void **state)
{
	struct net_address at;
	u32 conn = open_server("line", "tcp", &at);

	(void)state;
	assert_int_equal(world_exchange_bytes(conn, "7\n", 2, NET_END), 0);
	assert_true(world_answered("re 7\n"));
	assert_int_equal(world_net->flags, NET_EOF);
}

static void peer_that_never_reads_is_told_of(void **state)
{
	struct net_address at;
	u32 conn = open_server("deaf", "tcp", &at);

	(void)state;
	assert_int_equal(world_exchange(conn, "1\n"), 0);
	assert_int_equal(world_net->flags, NET_UNREAD);
	expect_words("pause");
	assert_int_equal(world_exchange(conn, "2\n"), 0);
	assert_int_equal(world_net->flags, NET_UNREAD);
}

static void peer_that_never_reads_much_is_stuck(void **state)
{
	struct net_address at;
	u32 conn = open_server("deaf", "tcp", &at), i;
	static u8 data[NET_DATA];
	int status = 0;

	(void)state;
	for (i = 0; i < 32 && !status; i++)
		status = world_exchange_bytes(conn, data, sizeof(data), NET_MORE);
	assert_int_equal(status, NET_ERROR_STUCK);
}

static void peer_that_never_reads_datagrams_is_stuck(void **state)
{
	struct net_address at;
	u32 conn = open_server("deaf", "udp", &at);

	(void)state;
	assert_int_equal(world_exchange_bytes(conn, "\1\0\0\0x", 5, 0), NET_ERROR_STUCK);
}

static void end_that_nobody_reads_is_no_trouble(void **state)
{
	struct net_address at;
	u32 conn = open_server("deaf", "tcp", &at);

	(void)state;
	assert_int_equal(world_exchange_bytes(conn, "", 0, NET_END), 0);
	assert_int_equal(world_net->flags, 0);
}

static void peer_that_never_accepts(void **state)
{
	struct net_address at;
	u32 conn = open_server("unaccepting", "tcp", &at);

	(void)state;
	assert_int_equal(world_exchange(conn, "1\n"), NET_ERROR_UNSERVED);
}

static void close_it(u32 conn)
{
	world_net->op = NET_CLOSE;
	world_net->conn = conn;
	broker_serve(world_broker(), world_net);
	assert_int_equal(world_net->status, 0);
}

/*
 * The broker closes nothing: it says that the second is not served, and serves it once the first is closed.
 */
static void second_connection_of_an_iterative_server(const char *kind)
{
	struct net_address at;
	u32 first = open_server("line", kind, &at), group = world_net->group;
	assert_true(world_ask(first, 1));
	u32 second = open_to(&at);
	assert_int_not_equal(group, 0);
	assert_int_equal(world_net->group, group);
	assert_int_equal(world_exchange(second, "2\n"), NET_ERROR_UNSERVED);
	expect_words("has not accepted");
	assert_true(world_ask(first, 3));
	close_it(first);
	assert_int_equal(world_exchange(second, ""), 0);
	assert_true(world_answered("re 2\n"));
	assert_true(world_ask(second, 4));
}

static void iterative_server(void **state)
{
	(void)state;
	second_connection_of_an_iterative_server("tcp");
}

static void iterative_server_unix(void **state)
{
	(void)state;
	second_connection_of_an_iterative_server("unix");
}

static void full_backlog(const char *kind)
{
	struct net_address at;
	world_server("unaccepting", kind, &at);
	int status = 0;
	for (u32 i = 0; i < 64 && !status; i++)
		status = world_open(&at, 0);
	assert_int_equal(status, NET_ERROR_UNSERVED);
	assert_int_not_equal(world_net->group, 0);
	expect_words("backlog is full");
}

static void server_with_a_full_backlog(void **state)
{
	(void)state;
	full_backlog("tcp");
}

static void server_with_a_full_backlog_unix(void **state)
{
	(void)state;
	full_backlog("unix");
}

/* ---- no room ---- */

static void no_room_in_the_table(void **state)
{
	struct net_address at;
	u32 first = open_server("epoll", "tcp", &at);
	(void)state;
	for (u32 i = 1; i < NET_MAX_CONNS; i++)
		open_to(&at);
	assert_int_equal(world_open(&at, 0), NET_ERROR_FULL);
	assert_int_equal(world_open(&at, 1), NET_ERROR_FULL); /* no client is started either */
	close_it(first);
	open_to(&at);
}

/* How many descriptors there may be: one for each that is open now. */
static void limit_descriptors(struct rlimit *old)
{
	int next = dup(0);
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, old), 0);
	struct rlimit tight = {.rlim_cur = (rlim_t)next, .rlim_max = old->rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &tight), 0);
}

static void no_room_for_descriptors(void **state)
{
	struct net_address at, sut = world_address("tcp");
	struct rlimit old;
	(void)state;
	open_server("epoll", "tcp", &at);
	limit_descriptors(&old);
	int server = world_open(&at, 0), client = world_open(&sut, 1);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	assert_int_equal(server, NET_ERROR_FULL);
	assert_int_equal(client, NET_ERROR_FULL);
	open_to(&at);
	assert_int_equal(world_open(&sut, 1), 0);
}

static void answer_on_another_connection(void **state)
{
	struct net_address at;
	u32 first = open_server("chat", "tcp", &at), second = open_to(&at);
	char words[64];

	(void)state;
	assert_int_equal(world_exchange(first, ""), 0);
	assert_int_equal(world_exchange(second, ""), 0);
	assert_int_equal(world_exchange(first, "hello\n"), NET_ERROR_CROSSTALK);
	snprintf(words, sizeof(words), "connection %u ", second);
	expect_words(words);
}

static void slow_peer(void **state)
{
	struct net_address at;
	u32 conn;

	(void)state;
	world_end();
	world_begin(300);
	conn = open_server("slow", "tcp", &at);
	assert_int_equal(world_exchange(conn, "1\n"), NET_ERROR_SLOW);
	expect_words("nanosleep");
}

static void stopped_peer_is_not_quiet(void **state)
{
	struct net_address at;
	pid_t pid;
	u32 conn;

	(void)state;
	world_end();
	world_begin(400);
	pid = world_server("epoll", "tcp", &at);
	conn = open_to(&at);
	assert_true(world_ask(conn, 1));
	kill(pid, SIGSTOP);
	assert_int_equal(world_exchange(conn, "2\n"), NET_ERROR_SLOW);
	kill(pid, SIGCONT);
	world_exchange(conn, "");
	assert_true(world_answered("re 2\n"));
}

static void interrupted_while_waiting(void **state)
{
	struct net_address at;
	u32 conn = open_server("slow", "tcp", &at);

	(void)state;
	world_interrupt_after(20);
	assert_int_equal(world_exchange(conn, "1\n"), NET_ERROR_TOOL);
}

static void nobody_listens(const char *kind, int error)
{
	struct net_address at = world_address(kind);

	assert_int_equal(world_open(&at, 0), -error);
	expect_words("--server");
}

static void refused(void **state)
{
	(void)state;
	nobody_listens("tcp", ECONNREFUSED);
	nobody_listens("tcp6", ECONNREFUSED);
	nobody_listens("udp", ECONNREFUSED);
	nobody_listens("unix", ENOENT);
}

static void server_that_died(void **state)
{
	struct net_address at;
	u32 conn = open_server("die", "tcp", &at);

	(void)state;
	assert_int_equal(world_exchange(conn, "1\n"), NET_ERROR_NO_PEER);
	expect_words("in the middle of the search");
	expect_words("exit status 3");
	assert_int_equal(world_open(&at, 0), NET_ERROR_NO_PEER);
	expect_words("exit status 3");
	expect_words("words of");
}

static void unknown_server_is_looked_at(void **state)
{
	struct net_address at;
	u32 conn;

	(void)state;
	world_server("sleep", "tcp", &at);
	world_forget_server();
	conn = open_to(&at);
	for (u32 i = 0; i < 10; i++) {
		assert_true(world_ask(conn, i));
		assert_int_equal(world_net->flags, 0);
	}
}

static void *serve_here(void *arg)
{
	int listener = *(int *)arg, fd = accept(listener, NULL, NULL);
	char data[64];
	ssize_t n;

	while ((n = read(fd, data, sizeof(data))) > 0)
		if (write(fd, data, (size_t)n) < 0)
			break;
	close(fd);
	return NULL;
}

/* We cannot look at ourselves: a peer in this very process is as good as one on another machine. */
static void unseen_server_is_listened_to(void **state)
{
	struct net_address at = world_address("tcp");
	struct sockaddr_in s = {
		.sin_family = AF_INET, .sin_port = htons(at.port), .sin_addr.s_addr = htonl(0x7f000001)};
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	pthread_t t;
	u32 conn;

	(void)state;
	assert_int_equal(bind(listener, (struct sockaddr *)&s, sizeof(s)), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(pthread_create(&t, NULL, serve_here, &listener), 0);
	conn = open_to(&at);
	assert_int_equal(world_exchange(conn, "echo"), 0);
	assert_true(world_answered("echo"));
	assert_int_equal(world_net->flags, NET_GUESSED);
	assert_int_equal(world_exchange_bytes(conn, "", 0, NET_END), 0);
	assert_int_equal(world_net->flags, NET_EOF);
	pthread_join(t, NULL);
	close(listener);
}

static void long_reply(void **state)
{
	struct net_address at;
	u32 conn = open_server("big", "tcp", &at);
	u64 got = 0;

	(void)state;
	assert_int_equal(world_exchange(conn, "3000000\n"), 0);
	got = world_net->len;
	while (world_net->flags & NET_MORE) {
		assert_int_equal(world_exchange(conn, ""), 0);
		got += world_net->len;
	}
	assert_int_equal(got, 3000000);
	world_exchange(conn, "5\n");
	assert_true(world_answered("xxxxx"));
}

/* The peer writes back while we write: neither may wait for the other for ever. */
static void both_write_at_once(const char *kind)
{
	struct net_address at;
	u32 conn = open_server("echo", kind, &at), i;
	static u8 data[NET_DATA];
	u64 got = 0;

	for (i = 0; i < 15; i++)
		assert_int_equal(world_exchange_bytes(conn, data, sizeof(data), NET_MORE), 0);
	assert_int_equal(world_exchange_bytes(conn, data, sizeof(data), 0), 0);
	got = world_net->len;
	while (world_net->flags & NET_MORE) {
		assert_int_equal(world_exchange(conn, ""), 0);
		got += world_net->len;
	}
	assert_int_equal(got, 16ull * NET_DATA);
}

static void much_both_ways(void **state)
{
	(void)state;
	both_write_at_once("tcp");
}

static void much_both_ways_unix(void **state)
{
	(void)state;
	both_write_at_once("unix");
}

static void clients_come(const char *kind)
{
	struct net_address sut = world_address(kind);
	u32 conn;

	for (u32 i = 1; i <= 3; i++) {
		assert_int_equal(world_open(&sut, i), 0);
		conn = world_net->conn;
		world_exchange(conn, "");
		assert_true(world_answered("re hello\n"));
		assert_true(world_ask(conn, i));
	}
	close_it(conn);
	assert_int_equal(world_exchange(conn, ""), NET_ERROR_TOOL);
	expect_words("is not open");
}

static void clients(void **state)
{
	(void)state;
	clients_come("tcp");
	clients_come("tcp6");
	clients_come("unix");
	world_client("client-slowly");
	clients_come("tcp");
}

static void client_that_ends(void **state)
{
	struct net_address sut = world_address("tcp");

	(void)state;
	world_client("client-ends");
	assert_int_equal(world_open(&sut, 1), NET_ERROR_NO_PEER);
	expect_words("exit status 3");
}

static void client_that_rests(void **state)
{
	struct net_address sut = world_address("tcp");

	(void)state;
	world_client("client-rests");
	assert_int_equal(world_open(&sut, 1), NET_ERROR_NO_PEER);
	expect_words("pause");
}

static void client_that_comes_twice(void **state)
{
	struct net_address sut = world_address("tcp");
	u32 conn;

	(void)state;
	world_client("client-twice");
	assert_int_equal(world_open(&sut, 2), 0);
	conn = world_net->conn;
	assert_int_equal(world_exchange(conn, ""), 0);
	assert_int_equal(world_exchange(conn, "1\n"), NET_ERROR_ANOTHER);
	expect_words("client 2");
}

/* Both connections are one conversation; numbers and answers come as symbols. */
static void client_with_two_connections(void **state)
{
	struct net_address sut = world_address("tcp");
	static const char ask[] = "\1"
				  "1"
				  "\1\n";
	u32 conn;

	(void)state;
	world_client("client-twice");
	assert_int_equal(world_open_joint(&sut, 2), 0);
	conn = world_net->conn;
	assert_int_equal(world_exchange(conn, ""), 0);
	assert_memory_equal(world_net->data, "\x81\1", 2);
	assert_int_equal(world_exchange_bytes(conn, ask, sizeof(ask) - 1, 0), 0);
	assert_true(world_net->len > 4);
	assert_memory_equal(world_net->data, "\1r\1e", 4);
	assert_memory_equal(world_net->data + world_net->len - 2, "\x82\1", 2);
	assert_int_equal(world_exchange_bytes(conn, "\x82\5", 2, 0), 0);
	assert_int_equal(world_exchange_bytes(conn, "\x81\5", 2, 0), 0);
	assert_true(world_net->flags & NET_GONE);
}

static void datagrams_of_a_client(void **state)
{
	struct net_address sut = world_address("udp");
	u32 conn;

	(void)state;
	assert_int_equal(world_open(&sut, 1), 0);
	conn = world_net->conn;
	assert_int_equal(world_exchange(conn, ""), 0);
	assert_int_equal(world_net->len, 4 + 9);
	assert_memory_equal(world_net->data, "\x9\0\0\0re hello\n", world_net->len);
	assert_int_equal(world_exchange_bytes(conn, "\1\0\0\0\n", 5, 0), 0);
	assert_int_equal(world_net->len, 4 + 4);
	assert_memory_equal(world_net->data, "\4\0\0\0re \n", world_net->len);
}

static void client_that_sends_from_two_places(void **state)
{
	struct net_address sut = world_address("udp");

	(void)state;
	world_client("client-both");
	assert_int_equal(world_open(&sut, 2), 0);
	assert_int_equal(world_exchange(world_net->conn, ""), NET_ERROR_ANOTHER);
	expect_words("client 2");
}

/* How much of it the kernel keeps is open, but nothing may be lost without a word. */
static void client_that_floods(void **state)
{
	struct net_address sut = world_address("udp");

	(void)state;
	world_client("client-floods");
	assert_int_equal(world_open(&sut, 1), 0);
	if (world_exchange(world_net->conn, "") == 0)
		assert_int_equal(world_net->len, FLOOD * (4 + FLOOD_BYTES) + 4 + 9);
	else
		expect_words("lost");
}

static void server_that_does_not_start(void **state)
{
	struct problem p;
	pid_t pid = world_start("dead");

	(void)state;
	assert_int_equal(broker_wait_ready(world_broker(), pid, "the server", &p), -1);
	assert_non_null(strstr(p.text, "exit status 7"));
}

static void server_that_listens_nowhere(void **state)
{
	struct problem p;
	pid_t pid = world_start("client-rests");

	(void)state;
	assert_int_equal(broker_wait_ready(world_broker(), pid, "the server", &p), -1);
	assert_non_null(strstr(p.text, "must listen"));
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(greeting_is_heard),
		CASE(quiet_peer_is_described),
		CASE(time_out_is_noted),
		CASE(closed_by_the_peer),
		CASE(closed_by_the_peer_unix),
		CASE(reset_by_the_peer),
		CASE(end_of_ours_is_seen),
		CASE(peer_that_never_reads_is_told_of),
		CASE(peer_that_never_reads_much_is_stuck),
		CASE(peer_that_never_reads_datagrams_is_stuck),
		CASE(end_that_nobody_reads_is_no_trouble),
		CASE(peer_that_never_accepts),
		CASE(iterative_server),
		CASE(iterative_server_unix),
		CASE(server_with_a_full_backlog),
		CASE(server_with_a_full_backlog_unix),
		CASE(no_room_in_the_table),
		CASE(no_room_for_descriptors),
		CASE(answer_on_another_connection),
		CASE(slow_peer),
		CASE(stopped_peer_is_not_quiet),
		CASE(interrupted_while_waiting),
		CASE(refused),
		CASE(server_that_died),
		CASE(unknown_server_is_looked_at),
		CASE(unseen_server_is_listened_to),
		CASE(long_reply),
		CASE(much_both_ways),
		CASE(much_both_ways_unix),
		CASE(clients),
		CASE(client_that_ends),
		CASE(client_that_rests),
		CASE(client_that_comes_twice),
		CASE(client_with_two_connections),
		CASE(datagrams_of_a_client),
		CASE(client_that_sends_from_two_places),
		CASE(client_that_floods),
		CASE(server_that_does_not_start),
		CASE(server_that_listens_nowhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
