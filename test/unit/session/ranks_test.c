/* What ranks have learnt becomes everybody's (session/ranks.h). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "session/ranks.h"

static struct wire_learnt all, more;

/* Lessons are added once, whatever their kind; what is known already is no news. */
static void lessons(void **state)
{
	(void)state;
	more = (struct wire_learnt){.observed = 2,
				    .observed_addr = {16, 32},
				    .property_places = 1,
				    .property_place = {64},
				    .clock_read = 1};
	assert_true(ranks_merge(&all, &more));
	assert_false(ranks_merge(&all, &more));
	assert_int_equal(all.observed, 2);
	assert_int_equal(all.property_places, 1);
	assert_int_equal(all.property_place[0], 64);
	more.property_place[0] = 128;
	assert_true(ranks_merge(&all, &more));
	assert_int_equal(all.property_places, 2);
	more.observed_addr[1] = 48;
	assert_true(ranks_merge(&all, &more));
	assert_int_equal(all.observed, 3);
	more.signals_used = more.heap_reused = 1;
	assert_true(ranks_merge(&all, &more));
	assert_true(all.signals_used && all.clock_read && all.heap_reused);
}

/* A name says who its parent is by slot, which may be another one elsewhere. */
static void names(void **state)
{
	(void)state;
	all = (struct wire_learnt){.names = 3, .name = {0, WIRE_NAME(0, 0), WIRE_NAME(0, 1)}};
	more = (struct wire_learnt){.names = 4,
				    .name = {0, WIRE_NAME(0, 1), WIRE_NAME(0, 0), WIRE_NAME(1, 0)}};
	assert_true(ranks_merge(&all, &more));
	assert_int_equal(all.names, 4);
	assert_int_equal(all.name[3], WIRE_NAME(2, 0));
	assert_false(ranks_merge(&all, &more));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(lessons), cmocka_unit_test(names)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
