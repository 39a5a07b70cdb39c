/* The bit filter: never forgets, and says how much it misses. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "state/bit_filter.h"
#include "state/visited.h"

/* A different fingerprint for each i, as well spread as real ones. */
static struct fingerprint spread(u64 i)
{
	u64 x = (i + 1) * 0x9e3779b97f4a7c15ull;
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ull;
	x ^= x >> 27;
	return (struct fingerprint){x * 0x94d049bb133111ebull, x};
}

/* Inserts n different states; returns how many were taken for known ones. */
static u64 missed_of(struct bit_filter *f, u64 n)
{
	u64 missed = 0;
	for (u64 i = 0; i < n; i++)
		missed += !bit_filter_insert(f, spread(i));
	return missed;
}

static void nothing_is_forgotten(void **state)
{
	(void)state;
	struct bit_filter f = {0};
	assert_int_equal(bit_filter_begin(&f, 1 << 16), 0);
	missed_of(&f, 50000);
	for (u64 i = 0; i < 50000; i++)
		assert_int_equal(bit_filter_insert(&f, spread(i)), 0);
	bit_filter_reset(&f);
	assert_int_equal(bit_filter_bytes(&f), 0);
}

/* From nearly empty to hopelessly full: bits a state 82, 16, 8, 5. */
static void the_estimate_is_near_what_is_missed(void **state)
{
	(void)state;
	static const u64 counts[] = {100000, 500000, 1000000, 1600000};
	for (u32 i = 0; i < HD_ARRAY_LEN(counts); i++) {
		struct bit_filter f = {0};
		assert_int_equal(bit_filter_begin(&f, 1 << 20), 0);
		u64 missed = missed_of(&f, counts[i]), estimate = f.missed / BIT_FILTER_UNIT;
		assert_in_range(estimate, missed * 95 / 100 - HD_MIN(missed * 95 / 100, 30ull),
				missed * 105 / 100 + 30);
		bit_filter_reset(&f);
	}
}

static void few_are_missed_with_bits_enough(void **state)
{
	(void)state;
	struct bit_filter f = {0};
	assert_int_equal(bit_filter_begin(&f, 1 << 20), 0);
	assert_in_range(missed_of(&f, 500000), 1, 500000 / 100);
	bit_filter_reset(&f);
}

static void put(void *self, struct fingerprint fp)
{
	bit_filter_add(self, fp);
}

/* What a table held, also while it was growing, is known afterwards, and none of it counts as missed. */
static void a_table_is_taken_over(void **state)
{
	(void)state;
	for (u64 n = 1000; n < 60000; n += 3517) {
		struct visited v = {0};
		struct bit_filter f = {0};
		assert_int_equal(bit_filter_begin(&f, 1 << 20), 0);
		for (u64 i = 0; i < n; i++)
			assert_int_equal(visited_insert(&v, spread(i)), 1);
		visited_each(&v, put, &f);
		assert_int_equal(f.missed, 0);
		for (u64 i = 0; i < n; i++)
			assert_int_equal(bit_filter_insert(&f, spread(i)), 0);
		visited_reset(&v);
		bit_filter_reset(&f);
	}
}

static void no_memory_is_an_error(void **state)
{
	(void)state;
	struct bit_filter f = {0};
	assert_int_equal(bit_filter_begin(&f, 0), -ENOMEM);
	assert_int_equal(bit_filter_begin(&f, 1ull << 60), -ENOMEM);
	assert_int_equal(f.lines, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_forgotten),
		cmocka_unit_test(the_estimate_is_near_what_is_missed),
		cmocka_unit_test(few_are_missed_with_bits_enough),
		cmocka_unit_test(a_table_is_taken_over),
		cmocka_unit_test(no_memory_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
