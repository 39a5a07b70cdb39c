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

static u32 zero_in_copy(void)
{
	u32 used = 0;
	for (u32 i = 0; i < HD_PAGE; i++)
		if (copy[i])
			used |= 1u << (i / COMPARE_LINE);
	return ~used;
}

/* Exact in the set, nothing invented, nothing beyond it; whatever is known of zero lines. */
static void assert_variant(const struct compare *compare, u32 look)
{
	u32 zero = zero_in_copy(), truth = by_bytes() & look;
	assert_int_equal(compare->lines(page, copy, look, 0), truth);
	assert_int_equal(compare->lines(page, copy, look, zero), truth);
	assert_int_equal(compare->lines(page, copy, look, zero & draw(~0u)), truth);
}

static void assert_agreement_in(u32 look)
{
	assert_variant(&compare_sse2, look);
	assert_variant(compare_select(), look);
}

static void assert_agreement(void)
{
	assert_agreement_in(COMPARE_ALL);
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
		assert_int_equal(compare_sse2.lines(page, copy, COMPARE_ALL, 0), expected);
		assert_int_equal(compare_select()->lines(page, copy, COMPARE_ALL, 0), expected);
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
	assert_int_equal(compare_range(0, COMPARE_LINES), COMPARE_ALL);
	assert_int_equal(compare_range(3, 5), 0x18);
	assert_int_equal(compare_range(5, 5), 0);
	for (u32 density = 0; density < 3; density++) {
		fill();
		for (u32 i = 0; i < 10 * density * density; i++)
			page[draw(HD_PAGE)] ^= 1;
		for (u32 from = 0; from <= COMPARE_LINES; from++)
			for (u32 to = from; to <= COMPARE_LINES; to++)
				assert_agreement_in(compare_range(from, to));
	}
}

/* Few bytes anywhere: lines that are zero in the copy, in the page, in both and in neither. */
static void zero_lines(void **state)
{
	for (u32 i = 0; i < 4000; i++) {
		memset(page, 0, HD_PAGE);
		memset(copy, 0, HD_PAGE);
		for (u32 n = draw(20); n; n--) {
			u32 at = draw(HD_PAGE);
			page[at] = copy[at] = (u8)draw(256);
			page[draw(HD_PAGE)] ^= (u8)draw(3);
			copy[draw(HD_PAGE)] ^= (u8)draw(3);
		}
		assert_agreement_in(draw(~0u));
	}
}

/* Of lines that are said to be zero in the copy nothing is read. */
static void zero_lines_need_no_copy(void **state)
{
	memset(page, 0, HD_PAGE);
	page[5 * COMPARE_LINE] = 1;
	assert_int_equal(compare_sse2.lines(page, NULL, COMPARE_ALL, COMPARE_ALL), 1u << 5);
	assert_int_equal(compare_select()->lines(page, NULL, COMPARE_ALL, COMPARE_ALL), 1u << 5);
	assert_int_equal(compare_sse2.clear(page, NULL, COMPARE_ALL, COMPARE_ALL), 0);
	assert_int_equal(page[5 * COMPARE_LINE], 0);
	page[5 * COMPARE_LINE] = 1;
	assert_int_equal(compare_select()->clear(page, NULL, COMPARE_ALL, COMPARE_ALL), 0);
	assert_int_equal(page[5 * COMPARE_LINE], 0);
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

static void clear_lines(const struct compare *compare, u32 dead, u32 zero)
{
	static u8 before[HD_PAGE];
	memcpy(before, page, HD_PAGE);
	assert_int_equal(compare->clear(page, copy, dead, zero), dead & ~zero_in_copy());
	for (u32 i = 0; i < HD_PAGE; i++)
		assert_int_equal(page[i], dead >> (i / COMPARE_LINE) & 1 ? 0 : before[i]);
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
		clear_lines(variants[i % 2], compare_range(0, draw(COMPARE_LINES + 1)),
			    i % 4 < 2 ? 0 : zero_in_copy());
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
		cmocka_unit_test(zero_lines),
		cmocka_unit_test(zero_lines_need_no_copy),
		cmocka_unit_test(everything_differs),
		cmocka_unit_test(cleared_lines),
		cmocka_unit_test(changed_words_are_taken_over),
	};
	return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
