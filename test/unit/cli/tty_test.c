/* Lines on a terminal. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/tty.h"

static void prints(struct tty t, const char *text, const char *expected)
{
	char *out = NULL;
	size_t size;
	FILE *f = open_memstream(&out, &size);

	tty_print(f, &t, text);
	fclose(f);
	assert_string_equal(out, expected);
	free(out);
}

static void test_wrap(void **state)
{
	const struct tty pipe = {0, false}, narrow = {20, false};

	prints(pipe, "a line of words that is longer than that\n",
	       "a line of words that is longer than that\n");
	prints(narrow, "a line of words that is longer than that\n",
	       "a line of words that\n    is longer than\n    that\n");
	prints(narrow, "short\n\nshort\n", "short\n\nshort\n");
	prints(narrow, "  replay: heddle replay out/violation-1.trace\n",
	       "  replay: heddle replay out/violation-1.trace\n");
	prints(narrow, "averyveryverylongwordwithoutblanks\n", "averyveryverylongwor\n    dwithoutblanks\n");
	prints(narrow,
	       "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4 \xc3\xa4\xc3\xa4\xc3\xa4 \xc3\xa4 abcdef\n",
	       "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4 \xc3\xa4\xc3\xa4\xc3\xa4 \xc3\xa4 abcdef\n");
	prints(narrow, "no newline", "no newline\n");
}

static void test_colour(void **state)
{
	const struct tty t = {80, true};

	prints(t, "heddle: Verified: all\nplain\n", "\033[1;32mheddle: Verified: all\033[0m\nplain\n");
	prints(t, "a.c:3: error: x\n", "\033[1ma.c:3: error: x\033[0m\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_colour),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
