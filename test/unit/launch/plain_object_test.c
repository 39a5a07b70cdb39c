/* Which objects hold code that is not instrumented? Made by the compiler at hand, and damaged. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch/plain_object.h"

static char folder[] = "/tmp/heddle-unit.XXXXXX";

static const char *in(const char *name)
{
	static char path[2][128];
	static int turn;

	turn ^= 1;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", folder, name);
	return path[turn];
}

static void sh(const char *command)
{
	char text[512];

	snprintf(text, sizeof(text), "cd %s && %s", folder, command);
	assert_int_equal(system(text), 0); /* NOLINT(cert-env33-c) */
}

static int make_objects(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	sh("echo 'int n; void f(void) { n++; }' > f.c && echo 'int only_data = 1;' > d.c");
	sh("gcc -c f.c -o plain.o && gcc -fsanitize=thread -c f.c -o ours.o && gcc -c d.c -o data.o");
	sh("{ cat f.c; echo '__asm__(\".section heddle_unseen,\\\"a\\\"; .string \\\"f.c\\\"; .text\");'; } "
	   "> t.c && "
	   "gcc -c t.c -o tells.o");
	sh("gcc -shared -fPIC f.c -o libf.so && ar rc lib.a data.o ours.o plain.o && echo 'INPUT(libf.so)' > "
	   "script");
	return 0;
}

static int remove_objects(void **state)
{
	(void)state;
	sh("rm -f *");
	return rmdir(folder);
}

static void test_objects(void **state)
{
	(void)state;
	assert_true(plain_object(in("plain.o"), NULL));
	assert_false(plain_object(in("ours.o"), NULL));
	assert_false(plain_object(in("data.o"), NULL));
	assert_false(plain_object(in("tells.o"), NULL));
}

static void test_members(void **state)
{
	(void)state;
	assert_true(plain_object(in("lib.a"), "plain.o"));
	assert_false(plain_object(in("lib.a"), "ours.o"));
	assert_false(plain_object(in("lib.a"), "data.o"));
	assert_false(plain_object(in("lib.a"), "nobody.o"));
	assert_false(plain_object(in("lib.a"), NULL));
}

static void test_other_files(void **state)
{
	(void)state;
	assert_false(plain_object(in("libf.so"), NULL));
	assert_false(plain_object(in("script"), NULL));
	assert_false(plain_object(in("nowhere"), NULL));
	assert_false(plain_object(in("script"), "plain.o"));
}

/* Whatever is in them, files are read without harm. */
static void test_damaged(void **state)
{
	char bytes[8192];
	FILE *f = fopen(in("plain.o"), "rb");

	(void)state;
	assert_non_null(f);
	size_t n = fread(bytes, 1, sizeof(bytes), f);

	fclose(f);
	for (size_t at = 0; at < n; at += 3) {
		char old = bytes[at];

		bytes[at] = (char)~old;
		f = fopen(in("damaged.o"), "wb");
		assert_non_null(f);
		fwrite(bytes, 1, at % 5 ? n : at, f);
		fclose(f);
		bytes[at] = old;
		plain_object(in("damaged.o"), NULL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_objects),
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_other_files),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, make_objects, remove_objects);
}
