/* The little that the shim does with text. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "shim/shim_priv.h"

static void test_numbers_behind_words(void **state)
{
	const char *info =
		"pos:\t0\nflags:\t02\neventfd-count:                1f\neventfd-semaphore: 1\nclockid: 12\n";
	assert_int_equal(text_number(info, "eventfd-count:", 16), 0x1f);
	assert_int_equal(text_number(info, "eventfd-semaphore:", 10), 1);
	assert_int_equal(text_number(info, "clockid:", 10), 12);
	assert_int_equal(text_number(info, "ticks:", 10), 0);
	assert_int_equal(text_number("1023", "", 10), 1023);
}

static void test_text_stays_in_its_room(void **state)
{
	char out[8] = "";
	text_add(out, sizeof(out), "abc");
	text_add_number(out, sizeof(out), -12345);
	assert_string_equal(out, "abc-123");
	char path[48];
	text_proc(path, sizeof(path), "fdinfo", 42);
	assert_string_equal(path, "self/fdinfo/42");
	out[0] = 0;
	text_add_number(out, sizeof(out), 0);
	assert_string_equal(out, "0");
	assert_true(text_starts("anon_inode:[eventfd]", "anon_inode:"));
	assert_false(text_starts("anon", "anon_inode:"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_behind_words),
		cmocka_unit_test(test_text_stays_in_its_room),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
