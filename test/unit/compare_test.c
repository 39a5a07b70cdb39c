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
static void assert_variant(compare_fn compare, u32 from, u32 to)
{
	u32 got = compare(page, copy, from, to), truth = by_bytes();
	u32 widened = lines(from & ~1u, HD_ROUND_UP(to, 2));
	assert_int_equal(got & lines(from, to), truth & lines(from, to));
	assert_int_equal(got & ~truth, 0);
	assert_int_equal(got & ~widened, 0);
}

static void assert_agreement_in(u32 from, u32 to)
{
	assert_variant(compare_sse2, from, to);
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
		assert_int_equal(compare_sse2(page, copy, 0, COMPARE_LINES), expected);
		assert_int_equal(compare_select()(page, copy, 0, COMPARE_LINES), expected);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_pages),
		cmocka_unit_test(each_single_bit),
		cmocka_unit_test(differences_that_mirror_each_other),
		cmocka_unit_test(random_differences),
		cmocka_unit_test(each_range),
		cmocka_unit_test(everything_differs),
	};
	return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
