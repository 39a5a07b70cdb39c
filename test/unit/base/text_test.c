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
	text_init(&t, buf, sizeof(buf));
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
		text_init(&t, buf, sizeof(buf));
		text_dec(&t, numbers[i]);
		text_str(&t, " ");
		text_hex(&t, (u64)numbers[i]);
		snprintf(expected, sizeof(expected), "%ld 0x%lx", numbers[i], numbers[i]);
		assert_string_equal(buf, expected);
	}
}

/* Both write into buffers of the same size; what is written is the same, byte for byte. */
#define SAME_AS_PRINTF(...) \
	do { \
		char buf_[64], expected_[64]; \
		struct text t_; \
		text_init(&t_, buf_, sizeof(buf_)); \
		text_fmt(&t_, __VA_ARGS__); \
		snprintf(expected_, sizeof(expected_), __VA_ARGS__); \
		assert_string_equal(buf_, expected_); \
	} while (0)

static void formats_are_as_printf_writes_them(void **state)
{
	(void)state;
	static const char unterminated[3] = {'a', 'b', 'c'};

	SAME_AS_PRINTF("plain");
	SAME_AS_PRINTF("%%|%c|%s|%s", 'x', "", "string");
	SAME_AS_PRINTF("%d %i %u", INT_MIN, -1, UINT_MAX);
	SAME_AS_PRINTF("%ld %ld %lu %zu", LONG_MIN, LONG_MAX, ULONG_MAX, (size_t)7);
	SAME_AS_PRINTF("%x %lx %#x %#lx", 0xbeefu, ULONG_MAX, 1u, 0x1f0ul);
	SAME_AS_PRINTF("%02x %02x %8x %08lx %#06x", 5u, 255u, 0xabu, 0xabcul, 0x1fu);
	SAME_AS_PRINTF("%3d|%3d|%03d|%5u", 7, -7, -7, 123456u);
	SAME_AS_PRINTF("%.*s|%.2s|%6s|%4.1s", 3, unterminated, "abc", "abc", "abc");
}

static void a_formatted_message_is_cut(void **state)
{
	(void)state;
	char buf[8];
	struct text t;

	text_init(&t, buf, sizeof(buf) - 1);
	buf[7] = '#';
	text_fmt(&t, "%s %d", "thread", 12);
	assert_string_equal(buf, "thread");
	assert_int_equal(buf[7], '#');
}

static void any_bytes_are_made_readable(void **state)
{
	(void)state;
	static const u8 bytes[] = {'a', ' ', '~', 0x7f, 0, 0x1f, '\n', '\r', '\t', '"', '\\', 0xff};
	char buf[100];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	text_escaped(&t, bytes, sizeof(bytes));
	assert_string_equal(buf, "a ~\\x7f\\x00\\x1f\\n\\r\\t\\\"\\\\\\xff");
}

/* For each size of buffer: what fits is there, the byte behind is untouched. */
static void what_does_not_fit_is_cut(void **state)
{
	(void)state;
	static const char whole[] = "abc-42{0xbeef}";
	for (size_t cap = 1; cap <= sizeof(whole); cap++) {
		char buf[sizeof(whole) + 1];
		struct text t;
		memset(buf, '#', sizeof(buf));
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
	str_copy(buf, sizeof(buf), "warp and weft");
	assert_string_equal(buf, "warp");
	str_copy(buf, sizeof(buf), "");
	assert_string_equal(buf, "");
	str_copy(buf, 1, "x");
	assert_string_equal(buf, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_message_is_built),
		cmocka_unit_test(numbers_are_as_printf_writes_them),
		cmocka_unit_test(formats_are_as_printf_writes_them),
		cmocka_unit_test(a_formatted_message_is_cut),
		cmocka_unit_test(any_bytes_are_made_readable),
		cmocka_unit_test(what_does_not_fit_is_cut),
		cmocka_unit_test(strings_are_compared),
		cmocka_unit_test(copies_are_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
