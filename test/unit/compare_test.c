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
			diff |= 1u << (i / 128);
	return diff;
}

static void assert_agreement(void)
{
	u32 expected = by_bytes();
	assert_int_equal(compare_sse2(page, copy), expected);
	assert_int_equal(compare_select()(page, copy), expected);
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
		u32 expected = 1u << (i / 8 / 128);
		assert_int_equal(compare_sse2(page, copy), expected);
		assert_int_equal(compare_select()(page, copy), expected);
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
		cmocka_unit_test(everything_differs),
	};
	return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
