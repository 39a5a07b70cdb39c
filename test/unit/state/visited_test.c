/* The visited table: a set that grows without losing or inventing entries. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sys/resource.h>

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

static struct fingerprint counting_lo(u64 i)
{
	return (struct fingerprint){i, 7};
}

static struct fingerprint counting_hi(u64 i)
{
	return (struct fingerprint){7, i};
}

static struct fingerprint strided(u64 i)
{
	return (struct fingerprint){i << 40, i << 20};
}

/* Insert n; on the way ask for some old ones and some not yet inserted. */
static void fill(struct fingerprint (*nth)(u64), u64 n)
{
	struct visited v = {0};
	for (u64 i = 0; i < n; i++) {
		assert_int_equal(visited_insert(&v, nth(i)), 1);
		assert_int_equal(visited_insert(&v, nth(i * 7 / 8)), 0);
		assert_true(visited_contains(&v, nth(i / 3)));
		assert_false(visited_contains(&v, nth(i + 1)));
		assert_int_equal(v.count, i + 1);
	}
	for (u64 i = 0; i < n; i++)
		assert_int_equal(visited_insert(&v, nth(i)), 0);
	assert_int_equal(v.count, n);
	visited_reset(&v);
}

static void grows(void **state)
{
	(void)state;
	fill(spread, 500000);
}

static void survives_poor_fingerprints(void **state)
{
	(void)state;
	fill(counting_lo, 50000);
	fill(counting_hi, 50000);
	fill(strided, 50000);
}

/* At every moment of several doublings, all entries so far are there and nothing else. */
static void is_exact_at_every_moment(void **state)
{
	(void)state;
	struct visited v = {0};
	for (u64 i = 0; i < 7000; i++) {
		assert_int_equal(visited_insert(&v, spread(i)), 1);
		u64 step = i < 3000 ? 97 : 1;
		if (i < 3000 || (i >= 3070 && i < 3300))
			for (u64 k = 0; k <= i; k += step)
				assert_true(visited_contains(&v, spread(k)));
		assert_false(visited_contains(&v, spread(i + 1)));
	}
	visited_reset(&v);
}

static void zero_is_a_fingerprint(void **state)
{
	(void)state;
	struct visited v = {0};
	struct fingerprint zero = {0, 0}, lo = {0, 1}, hi = {1, 0};
	assert_false(visited_contains(&v, zero));
	assert_int_equal(visited_insert(&v, zero), 1);
	assert_int_equal(visited_insert(&v, zero), 0);
	assert_true(visited_contains(&v, zero));
	assert_int_equal(visited_insert(&v, lo), 1);
	assert_int_equal(visited_insert(&v, hi), 1);
	assert_int_equal(v.count, 3);
	visited_reset(&v);
}

static void both_halves_count(void **state)
{
	(void)state;
	struct visited v = {0};
	assert_int_equal(visited_insert(&v, (struct fingerprint){5, 6}), 1);
	assert_int_equal(visited_insert(&v, (struct fingerprint){5, 7}), 1);
	assert_int_equal(visited_insert(&v, (struct fingerprint){4, 6}), 1);
	assert_int_equal(visited_insert(&v, (struct fingerprint){5, 6}), 0);
	visited_reset(&v);
}

/* Entries whose homes are the last slots wrap around, also while the table grows. */
static void clusters_wrap_around(void **state)
{
	(void)state;
	struct visited v = {0};
	u64 n = 0, last[4000];
	/* hash() multiplies by an odd number; its inverse gives us fingerprints for chosen homes. */
	u64 inverse = 1, odd = 0x9e3779b97f4a7c15ull;
	for (int i = 0; i < 6; i++)
		inverse *= 2 - odd * inverse;
	for (u64 i = 0; i < 4000; i++) {
		u64 home = i % 10 == 0 ? ~0ull << 50 : i << 52;
		last[n++] = (home + i) * inverse;
		assert_int_equal(visited_insert(&v, (struct fingerprint){last[i], 0}), 1);
		for (u64 k = 0; k <= i; k += 10)
			assert_true(visited_contains(&v, (struct fingerprint){last[k], 0}));
	}
	for (u64 i = 0; i < n; i++)
		assert_int_equal(visited_insert(&v, (struct fingerprint){last[i], 0}), 0);
	visited_reset(&v);
}

static void keeps_the_smallest_depth(void **state)
{
	(void)state;
	struct visited v = {0};
	const u64 n = 20000;
	u32 was = 0;
	for (u64 i = 0; i < n; i++)
		assert_int_equal(visited_insert_depth(&v, spread(i), 100 + (u32)i, &was), 1);
	for (u64 i = 0; i < n; i++) {
		assert_int_equal(visited_insert_depth(&v, spread(i), 200 + (u32)i, &was), 0);
		assert_int_equal(visited_insert_depth(&v, spread(i), 100 + (u32)i, &was), 0);
		assert_int_equal(visited_insert_depth(&v, spread(i), 50, &was), VISITED_CLOSER);
		assert_int_equal(was, 100 + i);
		assert_int_equal(visited_insert_depth(&v, spread(i), 50, &was), 0);
	}
	visited_reset(&v);
}

static void reset_forgets(void **state)
{
	(void)state;
	struct visited v = {0};
	for (u64 i = 0; i < 10000; i++)
		visited_insert(&v, spread(i));
	visited_reset(&v);
	assert_int_equal(v.count, 0);
	assert_int_equal(visited_bytes(&v), 0);
	assert_false(visited_contains(&v, spread(1)));
	assert_int_equal(visited_insert(&v, spread(1)), 1);
	visited_reset(&v);
}

/* At 3/4 load and 16 bytes a slot; while growing not above the size of the table that is being filled, but
 * for
 * the last moved part of the old one, which is given back in pieces of 2 MiB. */
static void costs_16_bytes_a_slot(void **state)
{
	(void)state;
	struct visited v = {0};
	for (u64 i = 0; i < 1000000; i++) {
		visited_insert(&v, spread(i));
		u64 bytes = visited_bytes(&v);
		assert_true(bytes >= v.count * 16);
		assert_true(bytes <= (v.now.mask + 1) * 16 + (4ul << 20) + 16 * 1000);
	}
	assert_int_equal(visited_bytes(&v), 16ul << 21);
	visited_reset(&v);
}

/* No insertion moves more than a few clusters, and growing ends long before the next time. */
static void growing_is_spread_over_insertions(void **state)
{
	(void)state;
	struct visited v = {0};
	for (u64 i = 0; i < 1000000; i++) {
		bool was_growing = v.old.slots;
		u64 before = v.moved;
		visited_insert(&v, spread(i));
		if (!v.old.slots)
			continue;
		assert_true(v.moved - (was_growing ? before : 0) < 2000);
		assert_true(v.count < v.limit * 6 / 10);
	}
	visited_reset(&v);
}

static struct rlimit allow_bytes(rlim_t bytes)
{
	struct rlimit before, now;
	getrlimit(RLIMIT_AS, &before);
	now = before;
	now.rlim_cur = bytes;
	setrlimit(RLIMIT_AS, &now);
	return before;
}

/* When the kernel has no memory: an error, and the set as it was; later it goes on. */
static void out_of_memory_is_an_error(void **state)
{
	(void)state;
	struct visited v = {0};
	u64 n = 0;
	while (n < 2000)
		assert_int_equal(visited_insert(&v, spread(n++)), 1);
	struct rlimit before = allow_bytes(0);
	int rc;
	while ((rc = visited_insert(&v, spread(n))) == 1)
		n++;
	int again = visited_insert(&v, spread(n)), known = visited_insert(&v, spread(n - 1));
	setrlimit(RLIMIT_AS, &before);

	assert_int_equal(rc, -ENOMEM);
	assert_int_equal(again, -ENOMEM);
	assert_int_equal(known, 0);
	assert_int_equal(v.count, n);
	for (u64 i = 0; i < n; i++)
		assert_true(visited_contains(&v, spread(i)));
	assert_int_equal(visited_insert(&v, spread(n)), 1);
	visited_reset(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grows),
		cmocka_unit_test(survives_poor_fingerprints),
		cmocka_unit_test(is_exact_at_every_moment),
		cmocka_unit_test(zero_is_a_fingerprint),
		cmocka_unit_test(both_halves_count),
		cmocka_unit_test(clusters_wrap_around),
		cmocka_unit_test(keeps_the_smallest_depth),
		cmocka_unit_test(reset_forgets),
		cmocka_unit_test(costs_16_bytes_a_slot),
		cmocka_unit_test(growing_is_spread_over_insertions),
		cmocka_unit_test(out_of_memory_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
