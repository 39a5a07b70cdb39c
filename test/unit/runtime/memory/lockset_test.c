/*
 * lockset_test.c: sets of locks as numbers: equal sets are equal numbers, and the meet is the intersection.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/memory/lockset.h"

static u32 set_of_bits(u32 bits)
{
	u64 locks[LOCKSET_MAX_LOCKS];
	u32 n = 0;
	for (u32 i = 0; i < 10; i++)
		if (bits >> i & 1 && n < LOCKSET_MAX_LOCKS)
			locks[n++] = 0x1000 + i * 40;
	return lockset_of(locks, n);
}

static bool small(u32 bits)
{
	return __builtin_popcount(bits) <= LOCKSET_MAX_LOCKS;
}

static void the_meet_is_the_intersection(void **state)
{
	(void)state;
	for (u32 a = 0; a < 1024; a++)
		for (u32 b = 0; b < 1024; b += 3)
			if (small(a) && small(b))
				assert_int_equal(lockset_meet(set_of_bits(a), set_of_bits(b)),
						 set_of_bits(a & b));
}

static void all_and_none(void **state)
{
	(void)state;
	for (u32 a = 0; a < 1024; a++) {
		if (!small(a))
			continue;
		u32 s = set_of_bits(a);
		assert_int_equal(lockset_meet(LOCKSET_ALL, s), s);
		assert_int_equal(lockset_meet(s, LOCKSET_ALL), s);
		assert_int_equal(lockset_meet(LOCKSET_NONE, s), LOCKSET_NONE);
		assert_int_equal(s == LOCKSET_NONE, a == 0);
		assert_int_not_equal(s, LOCKSET_ALL);
	}
}

static void other_sets_are_other_numbers(void **state)
{
	(void)state;
	for (u32 a = 0; a < 256; a++)
		for (u32 b = 0; b < a; b++)
			if (small(a) && small(b))
				assert_int_not_equal(set_of_bits(a), set_of_bits(b));
}

static void full_table_means_fewer_locks(void **state)
{
	(void)state;
	/* More sets than fit: the answer is "none held", which makes more steps, never fewer. */
	u32 last = 0;
	for (u64 i = 1; i < (1u << LOCKSET_BITS) + 100; i++) {
		u64 lock = i << 4;
		last = lockset_of(&lock, 1);
	}
	assert_int_equal(last, LOCKSET_NONE);
	u64 known = 1 << 4;
	assert_int_not_equal(lockset_of(&known, 1), LOCKSET_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_meet_is_the_intersection),
		cmocka_unit_test(all_and_none),
		cmocka_unit_test(other_sets_are_other_numbers),
		cmocka_unit_test(full_table_means_fewer_locks),
	};
	lockset_setup();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
