/* Names of source files for code hosts and editors. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/source_place.h"
#include "temporary.h"

static void test_tidy(void **state)
{
	static const char *const cases[][2] = {
		{"/a/b/../c.c", "/a/c.c"},
		{"../x/y.c", "../x/y.c"},
		{"a/./b//c", "a/b/c"},
		{"../../x", "../../x"},
		{"x/y/../../z", "z"},
		{"/", "/"},
		{"", ""},
		{"a/..", ""},
		{"x.c", "x.c"},
	};

	for (size_t i = 0; i < HD_ARRAY_LEN(cases); i++) {
		char path[64];

		strcpy(path, cases[i][0]);
		source_tidy(path);
		assert_string_equal(path, cases[i][1]);
	}
}

static void test_uri(void **state)
{
	char uri[64], small[8];

	source_uri("a b/c#d%.c", uri, sizeof(uri));
	assert_string_equal(uri, "a%20b/c%23d%25.c");
	source_uri("\xc3\xa4", uri, sizeof(uri));
	assert_string_equal(uri, "%C3%A4");
	source_uri("abcdefghijkl", small, sizeof(small));
	assert_true(strlen(small) < sizeof(small));
}

/* TOP/.git, TOP/src/a.c, and we stand in TOP/build. */
static void test_places(void **state)
{
	char top[PATH_MAX], path[PATH_MAX + 32], out[PATH_MAX];

	assert_non_null(realpath(temporary_dir, top));
	unsetenv("GITHUB_WORKSPACE");
	unsetenv("CI_PROJECT_DIR");
	assert_int_equal(chdir(top), 0);
	mkdir(".git", 0777);
	mkdir("src", 0777);
	mkdir("build", 0777);
	close(creat("src/a.c", 0666));
	assert_int_equal(chdir("build"), 0);
	source_root(out, sizeof(out));
	assert_string_equal(out, top);
	assert_true(source_from_root("../src/a.c", out, sizeof(out)));
	assert_string_equal(out, "src/a.c");
	snprintf(path, sizeof(path), "%s/src/a.c", top);
	assert_true(source_from_root(path, out, sizeof(out)));
	assert_string_equal(out, "src/a.c");
	assert_false(source_from_root("/usr/include/stdio.h", out, sizeof(out)));
	assert_string_equal(out, "/usr/include/stdio.h");
	assert_true(source_from_root("gone.c", out, sizeof(out)));
	assert_string_equal(out, "gone.c");
	source_from_here(path, out, sizeof(out));
	assert_string_equal(out, path);
	assert_int_equal(chdir("../src"), 0);
	source_from_here(path, out, sizeof(out));
	assert_string_equal(out, "a.c");
	snprintf(path, sizeof(path), "%s/src", top);
	setenv("CI_PROJECT_DIR", path, 1);
	source_root(out, sizeof(out));
	assert_string_equal(out, path);
	unsetenv("CI_PROJECT_DIR");
	assert_int_equal(chdir("/"), 0);
	source_root(out, sizeof(out));
	assert_string_equal(out, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tidy),
		cmocka_unit_test(test_uri),
		cmocka_unit_test(test_places),
	};
	return cmocka_run_group_tests(tests, temporary_make, temporary_remove);
}
