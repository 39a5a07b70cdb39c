/*
 * fingerprint_map_test.c: random puts, gets and removals against a plain array, with fingerprints that crowd
 * into few home slots, so that removal has to shift entries, also across the end of the table; growth keeps
 * them all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "search/fingerprint_map.h"

#define KEYS 600u

static u64 seed = 1;

static u32 dice(u32 sides)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (u32)(seed >> 33) % sides;
}

/* Four keys share a home; the homes lie around the end of the first table (1,024 slots). */
static struct fingerprint print_of(u32 key)
{
	return (struct fingerprint){.lo = 1024 - 75 + key / 4, .hi = key + 1};
}

static void agrees_with_an_array(void **state)
{
	(void)state;
	struct fingerprint_map m = {0};
	u32 truth[KEYS] = {0};
	assert_int_equal(fingerprint_map_get(&m, print_of(0)), 0);
	fingerprint_map_remove(&m, print_of(0));
	for (u32 round = 0; round < 200000; round++) {
		u32 key = dice(KEYS);
		if (dice(2)) {
			truth[key] = 1 + dice(1000);
			assert_true(fingerprint_map_put(&m, print_of(key), truth[key]));
		} else {
			truth[key] = 0;
			fingerprint_map_remove(&m, print_of(key));
		}
		u32 other = dice(KEYS);
		assert_int_equal(fingerprint_map_get(&m, print_of(other)), truth[other]);
	}
	u64 held = 0;
	for (u32 key = 0; key < KEYS; key++) {
		held += truth[key] != 0;
		assert_int_equal(fingerprint_map_get(&m, print_of(key)), truth[key]);
	}
	assert_int_equal(m.count, held);
	fingerprint_map_free(&m);
	assert_int_equal(fingerprint_map_bytes(&m), 0);
}

static void grows(void **state)
{
	(void)state;
	struct fingerprint_map m = {0};
	assert_true(fingerprint_map_begin(&m));
	u64 first = fingerprint_map_bytes(&m);
	for (u32 i = 0; i < 5000; i++)
		assert_true(fingerprint_map_put(&m, (struct fingerprint){i * 7919u, i}, i + 1));
	assert_true(fingerprint_map_bytes(&m) > first);
	for (u32 i = 0; i < 5000; i++)
		assert_int_equal(fingerprint_map_get(&m, (struct fingerprint){i * 7919u, i}), i + 1);
	assert_int_equal(fingerprint_map_get(&m, (struct fingerprint){7919u, 2}), 0);
	fingerprint_map_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_an_array), cmocka_unit_test(grows)};
	return cmocka_run_group_tests_name("fingerprint map", tests, NULL, NULL);
}
