/* A few numbers in an array: ascending, zeros behind, however they came in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/small_set.h"

#define ROOM 4

static void assert_set(const u64 *set, u64 a, u64 b, u64 c, u64 d)
{
	const u64 expected[ROOM] = {a, b, c, d};
	assert_memory_equal(set, expected, sizeof(expected));
}

static void members_are_in_order(void **state)
{
	u64 set[ROOM] = {0};
	assert_true(small_set_add(set, ROOM, 5));
	assert_set(set, 5, 0, 0, 0);
	assert_true(small_set_add(set, ROOM, ~(u64)0));
	assert_true(small_set_add(set, ROOM, 3));
	assert_true(small_set_add(set, ROOM, 4));
	assert_set(set, 3, 4, 5, ~(u64)0);
}

/* Of all orders of four numbers, each gives the same words. */
static void the_order_of_adding_leaves_no_trace(void **state)
{
	for (u32 order = 0; order < 256; order++) {
		u64 set[ROOM] = {0};
		u32 seen = 0;
		for (u32 i = 0; i < ROOM; i++)
			seen |= 1u << (order >> (2 * i) & 3);
		if (seen != 15)
			continue; /* no permutation */
		for (u32 i = 0; i < ROOM; i++)
			assert_true(small_set_add(set, ROOM, 10 + (order >> (2 * i) & 3)));
		assert_set(set, 10, 11, 12, 13);
	}
}

static void a_full_set_stays_as_it_is(void **state)
{
	u64 set[ROOM] = {1, 2, 3, 4};
	assert_false(small_set_add(set, ROOM, 9));
	assert_false(small_set_add(set, ROOM, 1));
	assert_set(set, 1, 2, 3, 4);
}

static void what_leaves_closes_the_gap(void **state)
{
	u64 set[ROOM] = {1, 2, 3, 4};
	assert_true(small_set_remove(set, ROOM, 2));
	assert_set(set, 1, 3, 4, 0);
	assert_true(small_set_remove(set, ROOM, 4));
	assert_true(small_set_remove(set, ROOM, 1));
	assert_set(set, 3, 0, 0, 0);
	assert_false(small_set_remove(set, ROOM, 1));
	assert_true(small_set_remove(set, ROOM, 3));
	assert_set(set, 0, 0, 0, 0);
}

static void a_number_may_be_there_twice(void **state)
{
	u64 set[ROOM] = {0};
	assert_true(small_set_add(set, ROOM, 7));
	assert_true(small_set_add(set, ROOM, 7));
	assert_set(set, 7, 7, 0, 0);
	assert_true(small_set_remove(set, ROOM, 7));
	assert_set(set, 7, 0, 0, 0);
}

static void room_for_one(void **state)
{
	u64 set[1] = {0};
	assert_true(small_set_add(set, 1, 8));
	assert_false(small_set_add(set, 1, 9));
	assert_int_equal(set[0], 8);
	assert_true(small_set_remove(set, 1, 8));
	assert_int_equal(set[0], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_are_in_order),
		cmocka_unit_test(the_order_of_adding_leaves_no_trace),
		cmocka_unit_test(a_full_set_stays_as_it_is),
		cmocka_unit_test(what_leaves_closes_the_gap),
		cmocka_unit_test(a_number_may_be_there_twice),
		cmocka_unit_test(room_for_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
