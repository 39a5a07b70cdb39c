/*
 * rounds_test.c: hundreds of questions to peers of many manners: every answer is complete, none takes the
 * time-out. The costs are printed; they are nobody's verdict.
 */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "broker/quiet.h"

#define CONNECTIONS 3

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, u32 n)
{
	qsort(v, n, sizeof(*v), by_value);
	return v[n / 2];
}

static double cost_of_look(pid_t pid)
{
	enum { LOOKS = 101 };
	static double us[LOOKS];
	struct quiet_peer *q = quiet_open(pid);

	for (u32 i = 0; i < LOOKS; i++) {
		us[i] = world_now_us();
		quiet_look(q, NULL, 0);
		us[i] = world_now_us() - us[i];
	}
	quiet_close(q);
	return median(us, LOOKS);
}

static void rounds_with(const char *manner, const char *kind, pid_t pid, const struct net_address *at,
			u32 connections, u32 rounds)
{
	u32 conn[CONNECTIONS], wrong = 0;
	double *us = calloc(rounds, sizeof(*us));

	for (u32 i = 0; i < connections; i++) {
		assert_int_equal(world_open(at, 0), 0);
		conn[i] = world_net->conn;
		assert_int_equal(world_exchange(conn[i], ""), 0);
		assert_int_equal(world_net->len, 0);
	}
	for (u32 i = 0; i < rounds; i++) {
		us[i] = world_now_us();
		wrong += !world_ask(conn[i % connections], i);
		us[i] = world_now_us() - us[i];
	}
	printf("# %-12s %-4s %4u rounds: median %7.0f us; a look %5.0f us\n", manner, kind, rounds,
	       median(us, rounds), cost_of_look(pid));
	free(us);
	assert_int_equal(wrong, 0);
}

static void rounds(const char *manner, const char *kind, u32 connections, u32 count)
{
	struct net_address at;
	pid_t pid;

	world_begin(5000);
	pid = world_server(manner, kind, &at);
	rounds_with(manner, kind, pid, &at, connections, count);
	world_end();
}

#define ROUNDS(name, manner, kind, connections, count) \
	static void name(void **state) \
	{ \
		(void)state; \
		rounds(manner, kind, connections, count); \
	}

ROUNDS(one_thread, "line", "tcp", 1, 500)
ROUNDS(one_thread_ipv6, "line", "tcp6", 1, 300)
ROUNDS(one_thread_unix, "line", "unix", 1, 300)
ROUNDS(thread_per_connection, "threads", "tcp", 3, 500)
ROUNDS(thread_per_connection_unix, "threads", "unix", 3, 300)
ROUNDS(process_per_connection, "forks", "tcp", 3, 500)
ROUNDS(epoll, "epoll", "tcp", 3, 500)
ROUNDS(worker_threads, "pool", "tcp", 3, 500)
ROUNDS(ring_of_threads, "ring", "tcp", 2, 200)
ROUNDS(answer_from_a_child, "child", "tcp", 1, 500)
ROUNDS(sleeps_before_answering, "sleep", "tcp", 1, 100)
ROUNDS(answers_in_pieces, "pieces", "tcp", 1, 100)
ROUNDS(works_without_sleeping, "spin", "tcp", 1, 100)
ROUNDS(waits_with_time_out, "timed", "tcp", 1, 200)
ROUNDS(housekeeping_often, "ticker", "tcp", 1, 30)
ROUNDS(housekeeping_every_second, "housekeeper", "tcp", 1, 200)
ROUNDS(housekeeping_less_and_less, "tires", "tcp", 1, 30)
ROUNDS(looks_for_work_now_and_then, "poller", "tcp", 2, 100)
ROUNDS(started_slowly, "loafer", "tcp", 1, 50)

static void datagrams(const char *manner, u32 rounds)
{
	struct net_address at;
	u32 conn, wrong = 0;
	u8 two[] = {3, 0, 0, 0, 'a', 'b', 'c', 1, 0, 0, 0, 'd'};

	world_begin(5000);
	world_server(manner, "udp", &at);
	assert_int_equal(world_open(&at, 0), 0);
	conn = world_net->conn;
	for (u32 i = 0; i < rounds; i++) {
		world_exchange_bytes(conn, two, sizeof(two), 0);
		wrong += world_net->len != 18 ||
			 memcmp(world_net->data, "\6\0\0\0re abc\4\0\0\0re d", 18) != 0;
	}
	assert_int_equal(wrong, 0);
	world_end();
}

static void datagrams_at_once(void **state)
{
	(void)state;
	datagrams("line", 300);
}

static void datagrams_with_pauses(void **state)
{
	(void)state;
	datagrams("sleep", 30);
}

static bool has_program(const char *name)
{
	char command[128];

	snprintf(command, sizeof(command), "command -v %s >/dev/null", name);
	return system(command) == 0;
}

static void memcached(void **state)
{
	struct net_address at;
	u32 conn, wrong = 0;

	(void)state;
	if (!has_program("memcached"))
		skip();
	world_begin(5000);
	world_server_command("exec memcached -u root -l 127.0.0.1 -p %s -t 4", "tcp", &at);
	assert_int_equal(world_open(&at, 0), 0);
	conn = world_net->conn;
	assert_int_equal(world_exchange(conn, ""), 0);
	for (u32 i = 0; i < 300; i++) {
		world_exchange(conn, "set k 0 0 5\r\nhello\r\n");
		wrong += !world_answered("STORED\r\n");
		world_exchange(conn, "get k\r\n");
		wrong += !world_answered("VALUE k 0 5\r\nhello\r\nEND\r\n");
	}
	assert_int_equal(wrong, 0);
	world_end();
}

static void socat(void **state)
{
	struct net_address at;
	u32 conn, wrong = 0;

	(void)state;
	if (!has_program("socat"))
		skip();
	world_begin(5000);
	world_server_command("socat TCP-LISTEN:%s,bind=127.0.0.1,reuseaddr,fork EXEC:cat", "tcp", &at);
	assert_int_equal(world_open(&at, 0), 0);
	conn = world_net->conn;
	for (u32 i = 0; i < 300; i++) {
		world_exchange(conn, "there and back\n");
		wrong += !world_answered("there and back\n");
	}
	assert_int_equal(wrong, 0);
	world_end();
}

static void redis(void **state)
{
	struct net_address at;
	u32 conn, wrong = 0;

	(void)state;
	if (!has_program("redis-server"))
		skip();
	world_begin(5000);
	world_server_command("exec redis-server --bind 127.0.0.1 --port %s --save '' >/dev/null", "tcp", &at);
	assert_int_equal(world_open(&at, 0), 0);
	conn = world_net->conn;
	for (u32 i = 0; i < 300; i++) {
		world_exchange(conn, "SET k hello\r\nGET k\r\n");
		wrong += !world_answered("+OK\r\n$5\r\nhello\r\n");
	}
	assert_int_equal(wrong, 0);
	world_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_thread),
		cmocka_unit_test(one_thread_ipv6),
		cmocka_unit_test(one_thread_unix),
		cmocka_unit_test(thread_per_connection),
		cmocka_unit_test(thread_per_connection_unix),
		cmocka_unit_test(process_per_connection),
		cmocka_unit_test(epoll),
		cmocka_unit_test(worker_threads),
		cmocka_unit_test(ring_of_threads),
		cmocka_unit_test(answer_from_a_child),
		cmocka_unit_test(sleeps_before_answering),
		cmocka_unit_test(answers_in_pieces),
		cmocka_unit_test(works_without_sleeping),
		cmocka_unit_test(waits_with_time_out),
		cmocka_unit_test(housekeeping_often),
		cmocka_unit_test(housekeeping_every_second),
		cmocka_unit_test(housekeeping_less_and_less),
		cmocka_unit_test(looks_for_work_now_and_then),
		cmocka_unit_test(started_slowly),
		cmocka_unit_test(datagrams_at_once),
		cmocka_unit_test(datagrams_with_pauses),
		cmocka_unit_test(memcached),
		cmocka_unit_test(socat),
		cmocka_unit_test(redis),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
