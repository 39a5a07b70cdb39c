/* The account of pairs that are declared dependent. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "search/dependence.h"

static struct search_stats stats;

static struct search_dependence *cell(enum object_class of, enum access_mode low, enum access_mode high)
{
	return &stats.dependence[of * SEARCH_DEPENDENCE_MODES + low * ACCESS_MODES + high];
}

static u64 all_pairs(void)
{
	u64 sum = 0;
	for (u32 i = 0; i < HD_ARRAY_LEN(stats.dependence); i++)
		sum += stats.dependence[i].pairs;
	return sum;
}

static int setup(void **state)
{
	(void)state;
	stats = (struct search_stats){0};
	return 0;
}

static void one_conflict_has_a_cell(void **state)
{
	(void)state;
	struct footprint a = {0}, b = {0};
	footprint_add(&a, object_id(OBJECT_PIPE, 3), 1, ACCESS_WRITE);
	footprint_add(&a, object_id(OBJECT_FD, 4), 1, ACCESS_READ);
	footprint_add(&b, object_id(OBJECT_PIPE, 3), 1, ACCESS_READ);
	footprint_add(&b, object_id(OBJECT_FD, 4), 1, ACCESS_READ);
	dependence_count(&stats, &a, &b, false);
	dependence_count(&stats, &b, &a, true);
	assert_int_equal(cell(OBJECT_PIPE, ACCESS_READ, ACCESS_WRITE)->pairs, 2);
	assert_int_equal(cell(OBJECT_PIPE, ACCESS_READ, ACCESS_WRITE)->agreed, 1);
	assert_int_equal(all_pairs(), 2);
}

/* Two objects, but one reason. */
static void the_same_conflict_twice_is_one(void **state)
{
	(void)state;
	struct footprint a = {0}, b = {0};
	for (u64 key = 8; key < 32; key += 8) {
		footprint_add(&a, object_id(OBJECT_MEMORY, key), 4, ACCESS_ACQUIRE);
		footprint_add(&b, object_id(OBJECT_MEMORY, key + 2), 4, ACCESS_ACQUIRE);
	}
	dependence_count(&stats, &a, &b, true);
	assert_int_equal(cell(OBJECT_MEMORY, ACCESS_ACQUIRE, ACCESS_ACQUIRE)->pairs, 1);
	assert_int_equal(all_pairs(), 1);
}

static void several_reasons_are_nobodys(void **state)
{
	(void)state;
	struct footprint a = {0}, b = {0};
	footprint_add(&a, object_id(OBJECT_PIPE, 3), 1, ACCESS_WRITE);
	footprint_add(&a, object_id(OBJECT_FD, 4), 1, ACCESS_WRITE);
	footprint_add(&b, object_id(OBJECT_PIPE, 3), 1, ACCESS_WRITE);
	footprint_add(&b, object_id(OBJECT_FD, 4), 1, ACCESS_READ);
	dependence_count(&stats, &a, &b, true);
	footprint_clear(&b);
	footprint_add(&b, object_id(OBJECT_WORLD, 0), 1, ACCESS_WRITE);
	dependence_count(&stats, &a, &b, true);
	assert_int_equal(all_pairs(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(one_conflict_has_a_cell, setup),
		cmocka_unit_test_setup(the_same_conflict_twice_is_one, setup),
		cmocka_unit_test_setup(several_reasons_are_nobodys, setup),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
