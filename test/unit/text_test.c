/* Short messages without libc: exact text, never beyond the buffer, always terminated. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static void a_message_is_built(void **state)
{
	(void)state;
	char buf[100];
	struct text t;
	text_init(&t, buf, sizeof buf);
	assert_string_equal(buf, "");
	text_str(&t, "mutex ");
	text_addr(&t, 0x1f0);
	text_str(&t, " held by ");
	text_dec(&t, 12);
	text_bytes(&t, "!?", 1);
	assert_string_equal(buf, "mutex {0x1f0} held by 12!");
	assert_int_equal(t.len, strlen(buf));
}

static void numbers_are_as_printf_writes_them(void **state)
{
	(void)state;
	static const long numbers[] = {0, 1, -1, 9, 10, -10, 123456789, LONG_MAX, LONG_MIN, LONG_MIN + 1};
	for (size_t i = 0; i < HD_ARRAY_LEN(numbers); i++) {
		char buf[64], expected[64];
		struct text t;
		text_init(&t, buf, sizeof buf);
		text_dec(&t, numbers[i]);
		text_str(&t, " ");
		text_hex(&t, (u64)numbers[i]);
		snprintf(expected, sizeof expected, "%ld 0x%lx", numbers[i], numbers[i]);
		assert_string_equal(buf, expected);
	}
}

/* For each size of buffer: what fits is there, the byte behind is untouched. */
static void what_does_not_fit_is_cut(void **state)
{
	(void)state;
	static const char whole[] = "abc-42{0xbeef}";
	for (size_t cap = 1; cap <= sizeof whole; cap++) {
		char buf[sizeof whole + 1];
		struct text t;
		memset(buf, '#', sizeof buf);
		text_init(&t, buf, cap);
		text_str(&t, "abc");
		text_dec(&t, -42);
		text_addr(&t, 0xbeef);
		assert_int_equal(t.len, cap - 1);
		assert_memory_equal(buf, whole, cap - 1);
		assert_int_equal(buf[cap - 1], 0);
		assert_int_equal(buf[cap], '#');
		text_str(&t, "more");
		assert_int_equal(buf[cap], '#');
	}
}

static void strings_are_compared(void **state)
{
	(void)state;
	assert_int_equal(str_len(""), 0);
	assert_int_equal(str_len("heddle"), 6);
	assert_true(str_equal("", ""));
	assert_true(str_equal("reed", "reed"));
	assert_false(str_equal("reed", "ree"));
	assert_false(str_equal("ree", "reed"));
	assert_false(str_equal("reed", "weed"));
	assert_true(str_starts("shuttle", ""));
	assert_true(str_starts("shuttle", "shut"));
	assert_true(str_starts("shut", "shut"));
	assert_false(str_starts("shu", "shut"));
	assert_false(str_starts("shuttle", "hut"));
}

static void copies_are_cut(void **state)
{
	(void)state;
	char buf[5] = "####";
	str_copy(buf, sizeof buf, "warp and weft");
	assert_string_equal(buf, "warp");
	str_copy(buf, sizeof buf, "");
	assert_string_equal(buf, "");
	str_copy(buf, 1, "x");
	assert_string_equal(buf, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_message_is_built),
		cmocka_unit_test(numbers_are_as_printf_writes_them),
		cmocka_unit_test(what_does_not_fit_is_cut),
		cmocka_unit_test(strings_are_compared),
		cmocka_unit_test(copies_are_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
