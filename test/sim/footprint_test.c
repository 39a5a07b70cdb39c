/*
 * Footprints: the tables of modes, ranges of memory, and what happens when the list is full.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "search/footprint.h"

static struct footprint of(u64 object, u32 bytes, enum access_mode mode)
{
	struct footprint f;
	footprint_clear(&f);
	footprint_add(&f, object, bytes, mode);
	return f;
}

static void tables_are_symmetric_and_agree(void **state)
{
	(void)state;
	for (enum access_mode a = 0; a < ACCESS_MODES; a++)
		for (enum access_mode b = 0; b < ACCESS_MODES; b++) {
			assert_int_equal(access_commutes(a, b), access_commutes(b, a));
			assert_int_equal(access_merges(a, b), access_merges(b, a));
			if (access_commutes(a, b)) /* what commutes can be moved anywhere */
				assert_true(access_merges(a, b));
			struct footprint f = of(5, 1, a), g = of(5, 1, b);
			assert_int_equal(footprint_conflicts(&f, &g), !access_commutes(a, b));
			assert_int_equal(footprint_merges(&f, &g), access_merges(a, b));
		}
}

static void modes_that_look_and_change(void **state)
{
	(void)state;
	assert_true(access_commutes(ACCESS_READ, ACCESS_READ));
	assert_true(access_commutes(ACCESS_ADD, ACCESS_ADD));
	assert_true(access_merges(ACCESS_ACQUIRE, ACCESS_RELEASE));
	assert_false(access_commutes(ACCESS_ACQUIRE, ACCESS_RELEASE));
	for (enum access_mode m = 0; m < ACCESS_MODES; m++) {
		assert_int_equal(access_commutes(ACCESS_WRITE, m), m == ACCESS_MAKE);
		assert_int_equal(access_merges(ACCESS_WRITE, m), m == ACCESS_MAKE);
		assert_false(access_merges(ACCESS_TRY, m));
		struct footprint f = of(7, 1, m);
		assert_int_equal(footprint_writes(&f, 7), m != ACCESS_READ);
		assert_false(footprint_writes(&f, 8));
	}
}

static void ranges_of_memory_overlap(void **state)
{
	(void)state;
	for (u64 at = 90; at < 120; at++)
		for (u32 bytes = 1; bytes < 12; bytes++) {
			struct footprint f = of(100, 8, ACCESS_WRITE), g = of(at, bytes, ACCESS_READ);
			bool overlap = at < 108 && at + bytes > 100;
			assert_int_equal(footprint_conflicts(&f, &g), overlap);
			assert_int_equal(footprint_conflicts(&g, &f), overlap);
			assert_int_equal(footprint_writes(&f, at), at >= 100 && at < 108);
		}
}

static void classes_are_apart(void **state)
{
	(void)state;
	struct footprint f = of(object_id(OBJECT_FD, 3), 1, ACCESS_WRITE);
	struct footprint g = of(object_id(OBJECT_PIPE, 3), 1, ACCESS_WRITE);
	assert_false(footprint_conflicts(&f, &g));
	assert_int_equal(object_class(object_id(OBJECT_PIPE, 3)), OBJECT_PIPE);
	assert_int_equal(object_class(object_id(OBJECT_NAME, ~0ull)),
			 OBJECT_NAME); /* a key never spills over */
}

static void the_world_commutes_with_nothing(void **state)
{
	(void)state;
	struct footprint f, g = of(object_id(OBJECT_WORLD, 0), 1, ACCESS_WRITE);
	footprint_clear(&f);
	assert_true(footprint_conflicts(&f, &g));
	assert_true(footprint_conflicts(&g, &f));
	assert_false(footprint_merges(&f, &g));
	assert_true(footprint_writes(&g, 12345));
	assert_false(footprint_conflicts(&f, &f));
}

static void what_does_not_fit_is_the_world(void **state)
{
	(void)state;
	struct footprint f;
	footprint_clear(&f);
	for (u32 i = 0; i < FOOTPRINT_MAX; i++)
		for (u32 again = 0; again < 3; again++) /* the same use takes no more room */
			footprint_add(&f, i * 8, 8, ACCESS_READ);
	assert_int_equal(f.count, FOOTPRINT_MAX);
	assert_false(f.world);
	footprint_add(&f, 100000, 1, ACCESS_READ);
	assert_true(f.world);
	footprint_clear(&f);
	assert_false(f.world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_symmetric_and_agree),
		cmocka_unit_test(modes_that_look_and_change),
		cmocka_unit_test(ranges_of_memory_overlap),
		cmocka_unit_test(classes_are_apart),
		cmocka_unit_test(the_world_commutes_with_nothing),
		cmocka_unit_test(what_does_not_fit_is_the_world),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
