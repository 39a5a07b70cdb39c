/* What commutes and what merges, as docs/DEPENDENCY.md says; footprints; traits of violations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "search/footprint.h"
#include "wire/violation.h"

static const char *const mode_names[ACCESS_MODES] = {"READ",    "WRITE", "ADD", "ACQUIRE",
						     "RELEASE", "TRY",   "MAKE"};

/* Row `mode` of the table in the docs, as a string of y and n; false: there is none. */
static bool documented(const char *mode, char *out)
{
	FILE *f = fopen(getenv("HEDDLE_DEPENDENCY"), "r");
	char line[1024], start[32];
	bool found = false;
	assert_non_null(f);
	snprintf(start, sizeof(start), "| %s |", mode);
	while (!found && fgets(line, sizeof(line), f)) {
		if (strncmp(line, start, strlen(start)) != 0)
			continue;
		found = true;
		for (char *cell = strtok(line + strlen(start), "|"); cell && cell[0] != '\n';
		     cell = strtok(NULL, "|"))
			*out++ = strstr(cell, "yes") ? 'y' : 'n';
		*out = 0;
	}
	fclose(f);
	return found;
}

static void merging_is_as_documented(void **state)
{
	for (u32 a = 0; a < ACCESS_MODES; a++) {
		char row[64];
		assert_true(documented(mode_names[a], row));
		assert_int_equal(strlen(row), ACCESS_MODES);
		for (u32 b = 0; b < ACCESS_MODES; b++)
			assert_int_equal(row[b] == 'y', access_merges(a, b));
	}
}

static void tables_are_symmetric_and_commuting_modes_merge(void **state)
{
	for (u32 a = 0; a < ACCESS_MODES; a++) {
		for (u32 b = 0; b < ACCESS_MODES; b++) {
			assert_int_equal(access_commutes(a, b), access_commutes(b, a));
			assert_int_equal(access_merges(a, b), access_merges(b, a));
			if (access_commutes(a, b))
				assert_true(access_merges(a, b));
			bool equal = a == b && (a == ACCESS_READ || a == ACCESS_ADD || a == ACCESS_RELEASE);
			u32 other = a == ACCESS_MAKE ? b : b == ACCESS_MAKE ? a : ACCESS_TRY;
			bool made = other == ACCESS_READ || other == ACCESS_WRITE || other == ACCESS_ADD;
			assert_int_equal(access_commutes(a, b), equal || made);
		}
	}
}

static void ranges_of_memory_overlap(void **state)
{
	struct footprint a = {0}, b = {0};
	footprint_add(&a, 0x1000, 8, ACCESS_WRITE);
	footprint_add(&b, 0x1008, 4, ACCESS_READ);
	assert_false(footprint_conflicts(&a, &b));
	footprint_add(&b, 0x1007, 1, ACCESS_READ);
	assert_true(footprint_conflicts(&a, &b));
	assert_true(footprint_writes(&a, 0x1007));
	assert_false(footprint_writes(&a, 0x1008));
	assert_false(footprint_writes(&b, 0x1007));
}

static void too_much_for_the_list_is_the_world(void **state)
{
	static struct footprint a, b;
	for (u64 i = 0; i < FOOTPRINT_MAX; i++)
		footprint_add(&a, object_id(OBJECT_FD, i), 1, ACCESS_WRITE);
	footprint_add(&b, object_id(OBJECT_THREAD, 3), 1, ACCESS_READ);
	assert_false(footprint_conflicts(&a, &b));
	footprint_add(&a, object_id(OBJECT_FD, FOOTPRINT_MAX), 1, ACCESS_WRITE);
	assert_true(footprint_conflicts(&a, &b));
	assert_true(footprint_writes(&a, object_id(OBJECT_THREAD, 3)));
	footprint_clear(&a);
	footprint_add(&a, object_id(OBJECT_WORLD, 0), 1, ACCESS_WRITE);
	assert_true(footprint_conflicts(&b, &a));
}

static void kinds_of_violations_have_names_and_back(void **state)
{
	for (u32 kind = 0; kind < VIOLATION_KINDS; kind++) {
		assert_non_null(violation_traits(kind)->name);
		assert_int_equal(violation_kind_named(violation_traits(kind)->name), kind);
	}
	assert_int_equal(violation_kind_named("nonsense"), VIOLATION_NONE);
	assert_ptr_equal(violation_traits(VIOLATION_KINDS), violation_traits(VIOLATION_NONE));
	assert_true(violation_traits(VIOLATION_LIVELOCK)->concerns_all_threads);
	assert_false(violation_traits(VIOLATION_CRASH)->concerns_all_threads);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merging_is_as_documented),
		cmocka_unit_test(tables_are_symmetric_and_commuting_modes_merge),
		cmocka_unit_test(ranges_of_memory_overlap),
		cmocka_unit_test(too_much_for_the_list_is_the_world),
		cmocka_unit_test(kinds_of_violations_have_names_and_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
