/* Answers that differ in the time they tell count as the same; those that differ in anything else don't. */
#include "iocache_bench.h"

#define NOW 1794823779ull /* 10:09:39 in Greenwich */

/* The greeting of a first connection, that of a second one at NOW. */
static void two_connections(const char *recorded, const char *said, u64 readings, int expected)
{
	struct bench *b = start(CACHE_BRANCHING);
	struct tree_key k = world_key(12, 0);
	b->w->greeting = recorded;
	b->w->now = NOW - 100;
	open_at(b, 0, 12);
	b->w->greeting = said;
	b->w->now = NOW;
	assert_int_equal(cache_open(b->c, &k, &b->pos[1]), expected);
	assert_int_equal(cache_clock_readings(b->c), readings);
	if (!expected)
		hears(b->c, &b->pos[1], recorded, 0);
	stop(b);
}

static void same(const char *recorded, const char *said, u64 readings)
{
	two_connections(recorded, said, readings, 0);
}

static void other(const char *recorded, const char *said)
{
	two_connections(recorded, said, 0, CACHE_NONDETERMINISTIC);
}

static void readings_of_the_clock_are_the_same(void **state)
{
	(void)state;
	same("Date: Mon, 16 Nov 2026 10:08:01 GMT\r\n", "Date: Mon, 16 Nov 2026 10:09:39 GMT\r\n", 1);
	same("09:59:59", "10:09:38", 1);
	same("at 10:08:01.123456.", "at 10:09:20.654321.", 1);
	same("1794823679", "1794823779", 1);
	same("[1794823679123]", "[1794823778999]", 1);
	same("t=1794823679.5 10:08:01", "t=1794823779.1 10:09:39", 2);
	same("1794823679123456789", "1794823779000000000", 1);
	same("12:08:01 in Helsinki", "12:09:39 in Helsinki", 1);
	same("12:08:01 in Helsinki", "12:08:01 in Helsinki", 0);
}

static void what_is_no_reading_differs(void **state)
{
	(void)state;
	other("ticket 1", "ticket 2");
	other("10:08:01", "10:05:01"); /* that is not what time it is */
	other("10:08:01", "10:10:39");
	other("10:08:01 1", "10:05:01 2");
	other("1794823679", "1794823700"); /* too long ago */
	other("1794823779", "1794823790"); /* not yet */
	other("1794823789", "1794823779"); /* it never was that late */
	other("17948236", "17948237");
	other("99:08:01", "99:09:39");
	other("10:08", "10:09");
}

static void what_differs_beside_the_clock_is_noticed(void **state)
{
	(void)state;
	two_connections("10:08:01x", "10:09:39y", 1, CACHE_NONDETERMINISTIC);
	two_connections("10:08:01", "10:09:39\n", 1, CACHE_NONDETERMINISTIC);
	two_connections("10:08:01 ticket 1", "10:09:39 ticket 2", 1, CACHE_NONDETERMINISTIC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(readings_of_the_clock_are_the_same),
		cmocka_unit_test(what_is_no_reading_differs),
		cmocka_unit_test(what_differs_beside_the_clock_is_noticed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
