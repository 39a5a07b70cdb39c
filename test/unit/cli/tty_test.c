/* Lines on a terminal, and words that are nearly right. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/similar.h"
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

static const char *best_of(const char *word, const char *const *known)
{
	struct similar best = SIMILAR_NONE;

	for (; *known; known++)
		similar_try(&best, word, strlen(word), *known);
	return best.word;
}

static void test_similar(void **state)
{
	static const char *const known[] = {"check", "replay",     "show",     "shrink",
					    "tree",  "max-states", "max-time", NULL};
	char text[64];

	assert_string_equal(best_of("chekc", known), "check");
	assert_string_equal(best_of("repaly", known), "replay");
	assert_string_equal(best_of("max-stats", known), "max-states");
	assert_string_equal(best_of("max-tim", known), "max-time");
	assert_string_equal(best_of("shr", known), "shrink");
	assert_null(best_of("verify", known));
	assert_null(best_of("", known));
	assert_null(best_of("a-word-that-is-longer-than-any-of-those-known-here", known));
	assert_string_equal(similar_text(&(struct similar){"check", 1}, "heddle ", text, sizeof(text)),
			    " (did you mean heddle check?)");
	assert_string_equal(similar_text(&SIMILAR_NONE, "--", text, sizeof(text)), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_colour),
		cmocka_unit_test(test_similar),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
