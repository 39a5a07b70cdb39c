/* Comparing pages: every variant says what a loop over the bytes says. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "state/compare.h"

static _Alignas(HD_PAGE) u8 page[HD_PAGE], copy[HD_PAGE];
static u64 random_state = 1;

static u32 draw(u32 below)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)((random_state >> 33) % below);
}

static u32 by_bytes(void)
{
	u32 diff = 0;
	for (u32 i = 0; i < HD_PAGE; i++)
		if (page[i] != copy[i])
			diff |= 1u << (i / COMPARE_LINE);
	return diff;
}

static u32 lines(u32 from, u32 to)
{
	u32 mask = 0;
	for (u32 i = from; i < to; i++)
		mask |= 1u << i;
	return mask;
}

/* Exact in the range, nothing invented, nothing beyond the widened range. */
static void assert_variant(const struct compare *compare, u32 from, u32 to)
{
	u32 got = compare->lines(page, copy, from, to), truth = by_bytes();
	u32 widened = lines(from & ~1u, HD_ROUND_UP(to, 2));
	assert_int_equal(got & lines(from, to), truth & lines(from, to));
	assert_int_equal(got & ~truth, 0);
	assert_int_equal(got & ~widened, 0);
}

static void assert_agreement_in(u32 from, u32 to)
{
	assert_variant(&compare_sse2, from, to);
	assert_variant(compare_select(), from, to);
}

static void assert_agreement(void)
{
	assert_agreement_in(0, COMPARE_LINES);
}

static void fill(void)
{
	for (u32 i = 0; i < HD_PAGE; i++)
		page[i] = copy[i] = (u8)draw(256);
}

static void equal_pages(void **state)
{
	fill();
	assert_agreement();
	memset(page, 0, HD_PAGE);
	memset(copy, 0, HD_PAGE);
	assert_agreement();
}

static void each_single_bit(void **state)
{
	fill();
	for (u32 i = 0; i < HD_PAGE * 8; i++) {
		page[i / 8] ^= (u8)(1u << i % 8);
		u32 expected = 1u << (i / 8 / COMPARE_LINE);
		assert_int_equal(compare_sse2.lines(page, copy, 0, COMPARE_LINES), expected);
		assert_int_equal(compare_select()->lines(page, copy, 0, COMPARE_LINES), expected);
		page[i / 8] ^= (u8)(1u << i % 8);
	}
}

/* Differences that would cancel out if lines or halves were mixed up. */
static void differences_that_mirror_each_other(void **state)
{
	fill();
	for (u32 gap = 1; gap < HD_PAGE; gap *= 2) {
		page[0] ^= 0x80;
		page[gap] ^= 0x80;
		assert_agreement();
		page[0] ^= 0x80;
		page[gap] ^= 0x80;
	}
}

static void random_differences(void **state)
{
	for (u32 i = 0; i < 20000; i++) {
		if (i % 64 == 0)
			fill();
		for (u32 n = draw(6); n; n--)
			page[draw(HD_PAGE)] = (u8)draw(256);
		assert_agreement();
	}
}

static void each_range(void **state)
{
	for (u32 density = 0; density < 3; density++) {
		fill();
		for (u32 i = 0; i < 10 * density * density; i++)
			page[draw(HD_PAGE)] ^= 1;
		for (u32 from = 0; from <= COMPARE_LINES; from++)
			for (u32 to = from; to <= COMPARE_LINES; to++)
				assert_agreement_in(from, to);
	}
}

static void everything_differs(void **state)
{
	fill();
	for (u32 i = 0; i < HD_PAGE; i++)
		page[i] = (u8)~copy[i];
	assert_int_equal(by_bytes(), ~0u);
	assert_agreement();
}

/* ---- clearing ---- */

static void clear_up_to(const struct compare *compare, u32 to)
{
	static u8 before[HD_PAGE];
	u32 expected = 0;
	memcpy(before, page, HD_PAGE);
	for (u32 i = 0; i < to * COMPARE_LINE; i++)
		if (copy[i])
			expected |= 1u << (i / COMPARE_LINE);
	assert_int_equal(compare->clear(page, copy, to), expected);
	for (u32 i = 0; i < HD_PAGE; i++)
		assert_int_equal(page[i], i < to * COMPARE_LINE ? 0 : before[i]);
}

/* Few bytes in the page, few in the copy, so that all combinations of zero lines occur. */
static void cleared_lines(void **state)
{
	const struct compare *variants[] = {&compare_sse2, compare_select()};
	for (u32 i = 0; i < 4000; i++) {
		memset(page, 0, HD_PAGE);
		memset(copy, 0, HD_PAGE);
		for (u32 n = draw(20); n; n--) {
			page[draw(HD_PAGE)] = (u8)draw(256);
			copy[draw(HD_PAGE)] = (u8)draw(256);
		}
		clear_up_to(variants[i % 2], draw(COMPARE_LINES + 1));
	}
}

/* ---- taking over ---- */

static void take_over(const struct compare *compare)
{
	static _Alignas(HD_PAGE) u64 now[512], shadow[512], was[512];
	u32 places[512];
	u64 diff[512];
	memcpy(now, page, HD_PAGE);
	memcpy(shadow, copy, HD_PAGE);
	memcpy(was, copy, HD_PAGE);
	u32 n = compare->take(now, shadow, by_bytes(), 7 << 9, places, diff), at = 0;
	for (u32 w = 0; w < 512; w++) {
		if (now[w] == was[w])
			continue;
		assert_true(at < n);
		assert_int_equal(places[at], 7 << 9 | w);
		assert_int_equal(diff[at++], now[w] ^ was[w]);
	}
	assert_int_equal(at, n);
	assert_memory_equal(now, shadow, HD_PAGE);
}

static void changed_words_are_taken_over(void **state)
{
	static const u32 counts[] = {0, 1, 2, 10, 100, 5000};
	for (u32 i = 0; i < 600; i++) {
		fill();
		for (u32 n = counts[i % HD_ARRAY_LEN(counts)]; n; n--)
			page[draw(HD_PAGE)] = (u8)draw(256);
		take_over(&compare_sse2);
		take_over(compare_select());
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_pages),
		cmocka_unit_test(each_single_bit),
		cmocka_unit_test(differences_that_mirror_each_other),
		cmocka_unit_test(random_differences),
		cmocka_unit_test(each_range),
		cmocka_unit_test(everything_differs),
		cmocka_unit_test(cleared_lines),
		cmocka_unit_test(changed_words_are_taken_over),
	};
	return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
