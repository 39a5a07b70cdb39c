/*
 * ablation_test.c: each of the three parts of a look is needed. The broker of this program can do without one
 * (a switch that the real one does not have); then these peers are misjudged, and never otherwise.
 */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>

#include "broker/quiet_priv.h"

static u32 misjudged(const char *manner, int without, u32 rounds)
{
	struct net_address at;
	u32 conn, early = 0;

	world_begin(5000);
	world_server(manner, "tcp", &at);
	quiet_ablation = without;
	assert_int_equal(world_open(&at, 0), 0);
	conn = world_net->conn;
	for (u32 i = 0; i < rounds && !early; i++)
		early += !world_ask(conn, i);
	quiet_ablation = 0;
	world_end();
	return early;
}

/* Q3: who pauses is not at rest. */
static void threads_are_needed(void **state)
{
	(void)state;
	assert_int_equal(misjudged("sleep", 0, 10), 0);
	assert_int_equal(misjudged("sleep", ABLATION_THREADS, 10), 1);
}

/* Q1: while one thread is looked at, another one hands its work over. */
static void second_pass_is_needed(void **state)
{
	(void)state;
	assert_int_equal(misjudged("ring", 0, 300), 0);
	assert_int_equal(misjudged("ring", ABLATION_AGAIN, 5000), 1);
}

static int verdict_on_deaf(int without)
{
	struct net_address at;
	int flags;

	world_begin(5000);
	world_server("deaf", "tcp", &at);
	quiet_ablation = without;
	assert_int_equal(world_open(&at, 0), 0);
	assert_int_equal(world_exchange(world_net->conn, "1\n"), 0);
	flags = (int)world_net->flags;
	quiet_ablation = 0;
	world_end();
	return flags;
}

/* Q2: what lies in a queue has not been answered. */
static void queues_are_needed(void **state)
{
	(void)state;
	assert_int_equal(verdict_on_deaf(0), NET_UNREAD);
	assert_int_equal(verdict_on_deaf(ABLATION_QUEUES), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_are_needed),
		cmocka_unit_test(second_pass_is_needed),
		cmocka_unit_test(queues_are_needed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
