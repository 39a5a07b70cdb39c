/* The hash of words: what the sum over a state relies on. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "state/fingerprint.h"

static bool same(struct fingerprint a, struct fingerprint b)
{
	return a.lo == b.lo && a.hi == b.hi;
}

static void zero_words_cost_nothing(void **state)
{
	for (u64 address = 0; address < 1 << 20; address += 8)
		assert_true(same(fingerprint_word(address, 0), (struct fingerprint){0, 0}));
	for (u64 value = 1; value; value <<= 1)
		assert_false(same(fingerprint_word(0x1000, value), (struct fingerprint){0, 0}));
}

static void a_change_is_a_difference(void **state)
{
	struct fingerprint f = {0, 0};
	fingerprint_change(&f, 0x1000, 0, 5);
	assert_true(same(f, fingerprint_word(0x1000, 5)));
	fingerprint_change(&f, 0x1000, 5, 6);
	assert_true(same(f, fingerprint_word(0x1000, 6)));
	fingerprint_change(&f, 0x1000, 6, 0);
	assert_true(same(f, (struct fingerprint){0, 0}));
}

/* Whatever the order in which a state comes about, its fingerprint is the same. */
static void order_does_not_matter(void **state)
{
	struct fingerprint up = {0, 0}, down = {0, 0}, detour = {0, 0};
	for (u64 i = 1; i <= 1000; i++) {
		fingerprint_change(&up, i * 8, 0, i * i);
		fingerprint_change(&down, (1001 - i) * 8, 0, (1001 - i) * (1001 - i));
		fingerprint_change(&detour, i * 8, 0, ~i);
	}
	for (u64 i = 1000; i; i--)
		fingerprint_change(&detour, i * 8, ~i, i * i);
	assert_true(same(up, down));
	assert_true(same(up, detour));
}

static int by_lo(const void *a, const void *b)
{
	const struct fingerprint *x = a, *y = b;
	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	return (x->hi > y->hi) - (x->hi < y->hi);
}

/*
 * n hashes of 64 bits collide with probability about n^2 / 2^65, for two million 10^-7: any collision, even
 * in one half, means that the hash does not see some structure of its input.
 */
static void assert_distinct(struct fingerprint *f, size_t n)
{
	qsort(f, n, sizeof(*f), by_lo);
	for (size_t i = 1; i < n; i++)
		assert_true(f[i - 1].lo != f[i].lo);
	for (size_t i = 0; i < n; i++)
		f[i].lo = f[i].hi;
	qsort(f, n, sizeof(*f), by_lo);
	for (size_t i = 1; i < n; i++)
		assert_true(f[i - 1].hi != f[i].hi);
}

#define PAGES 64
#define VALUES 64

/* Words as programs have them: near addresses, small values, pointers to each other, flags. */
static void structured_words_do_not_collide(void **state)
{
	size_t n = 0, room = 512 * PAGES * VALUES;
	struct fingerprint *f = malloc(room * sizeof(*f));
	assert_non_null(f);
	for (u64 word = 0; word < 512 * PAGES; word++) {
		u64 address = 0x120000000000 + word * 8;
		for (u64 v = 1; v <= 24; v++)
			f[n++] = fingerprint_word(address, v);
		for (u64 v = 0; v < 16; v++)
			f[n++] = fingerprint_word(address, address + 16 + v * 0x400);
		for (u64 bit = 8; bit < 32; bit++)
			f[n++] = fingerprint_word(address, 1ull << (bit * 2));
	}
	assert_int_equal(n, room);
	assert_distinct(f, n);
	free(f);
}

/* Swapped contents of two words, or a value that moved to its neighbour, are other states. */
static void sums_of_two_words_do_not_collide(void **state)
{
	enum { N = 180 };
	size_t n = 0;
	struct fingerprint *f = malloc(N * N * 2 * sizeof(*f));
	assert_non_null(f);
	for (u64 a = 0; a < N; a++)
		for (u64 b = 0; b < N; b++)
			for (u64 far = 0; far < 2; far++) {
				f[n] = (struct fingerprint){0, 0};
				fingerprint_change(&f[n], 0x1000, 0, a);
				fingerprint_change(&f[n], 0x1008 + far * HD_PAGE, 0, b);
				n += b || !far; /* without b, both are the same state */
			}
	assert_distinct(f, n);
	free(f);
}

/* Fingerprints are compared across machines: with AES instructions or without, they are the same. */
static void every_variant_says_the_same(void **state)
{
	u64 now[512], diff[512], random = 1;
	u32 place[512];
	for (u32 i = 0; i < 512; i++) {
		random = random * 6364136223846793005ull + 1442695040888963407ull;
		now[i] = i % 3 ? random : 0;
		diff[i] = i % 5 ? random * 3 : now[i]; /* was zero */
		place[i] = 99 << 9 | i;
	}
	struct fingerprint fast = {1, 2}, slow = {1, 2};
	for (u32 n = 0; n <= 512; n += 16) {
		fingerprint_select()(&fast, 0x1000 * n, now, place, diff, n);
		fingerprint_changes_portable(&slow, 0x1000 * n, now, place, diff, n);
		assert_true(same(fast, slow));
	}
}

/* The S-box and the order of bytes are right in both: a value that was worked out with another program. */
static void a_known_value(void **state)
{
	struct fingerprint f = fingerprint_word(0x120000000000, 42);
	assert_int_equal(f.lo, 0x2f96b43d22af6148);
	assert_int_equal(f.hi, 0x4008397dc8db62e8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zero_words_cost_nothing),
		cmocka_unit_test(a_change_is_a_difference),
		cmocka_unit_test(order_does_not_matter),
		cmocka_unit_test(structured_words_do_not_collide),
		cmocka_unit_test(sums_of_two_words_do_not_collide),
		cmocka_unit_test(every_variant_says_the_same),
		cmocka_unit_test(a_known_value),
	};
	return cmocka_run_group_tests_name("fingerprint", tests, NULL, NULL);
}
