/* What somebody may have meant. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "launch/similar.h"

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

	(void)state;
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
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_similar)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
