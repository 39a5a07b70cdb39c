/*
 * The n-th request for memory fails, for every n: a search says so, or it finds what it finds without
 * failures; it never calls itself complete with less, and gives everything back.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "../sim/graph.h"
#include "../sim/models.h"
#include "faulty_pages.h"

static const struct grid grid = {3, {40, 40, 10}};
static const struct philosophers hungry = {4, false}, fed = {4, true};

struct sight {
	enum search_end end;
	struct search_stats stats;
	u32 told;
};

static struct sight look(const struct toy_model *m, const struct search_options *o)
{
	struct toy t;
	toy_init(&t, m);
	struct sight s = {.end = toy_search(&t, o)};
	assert_false(t.path_is_wrong);
	assert_int_equal(t.insane, 0);
	s.stats = t.stats;
	s.told = t.told;
	toy_free(&t);
	return s;
}

/* What does not depend on how much memory there was. */
static void assert_same_sight(const struct sight *a, const struct sight *b)
{
	assert_int_equal(a->end, b->end);
	assert_int_equal(a->told, b->told);
	assert_int_equal(a->stats.states, b->stats.states);
	assert_int_equal(a->stats.transitions, b->stats.transitions);
	assert_int_equal(a->stats.revisited, b->stats.revisited);
	assert_int_equal(a->stats.end_states, b->stats.end_states);
	assert_int_equal(a->stats.violations, b->stats.violations);
}

static void assert_less(const struct sight *part, const struct sight *whole)
{
	assert_true(part->stats.states <= whole->stats.states);
	assert_true(part->stats.transitions <= whole->stats.transitions);
	assert_true(part->stats.violations <= whole->stats.violations);
}

static void fail_each(const struct toy_model *m, const struct search_options *o, bool for_good)
{
	faulty_pages_arm(0, false);
	struct sight whole = look(m, o);
	u64 requests = faulty_pages.requests;
	assert_int_equal(faulty_pages.mapped, 0);
	assert_true(requests >= 2);
	for (u64 n = 1; n <= requests; n++) {
		faulty_pages_arm(n, for_good);
		struct sight s = look(m, o);
		assert_true(faulty_pages.failed > 0);
		assert_int_equal(faulty_pages.mapped, 0);
		if (s.end == SEARCH_LIMIT_MEMORY)
			assert_less(&s, &whole);
		else
			assert_same_sight(&s, &whole);
	}
}

static void fail_in(const struct toy_model *m, struct search_options o)
{
	for (u32 strategy = SEARCH_DFS; strategy <= SEARCH_PCT; strategy++) {
		o.strategy = (enum search_strategy)strategy;
		o.max_runs = 20;
		if (strategy >= SEARCH_RANDOM)
			o.max_depth = 100; /* of a walk, which may have no end */
		fail_each(m, &o, false);
		fail_each(m, &o, true);
	}
}

static void a_growing_table(void **state)
{
	struct toy_model m = grid_model(&grid);
	fail_in(&m, (struct search_options){0});
}

static void a_depth_bound(void **state)
{
	struct toy_model m = grid_model(&grid);
	fail_in(&m, (struct search_options){.max_depth = 45});
}

static void violations(void **state)
{
	struct toy_model m = philosophers_model(&hungry);
	fail_in(&m, (struct search_options){0});
	fail_in(&m, (struct search_options){.keep_going = true});
}

static void sanity_checks(void **state)
{
	struct toy_model m = philosophers_model(&fed);
	fail_in(&m, (struct search_options){.sanity = 3});
}

static void random_graphs(void **state)
{
	for (u64 seed = 1; seed <= 30; seed++) {
		struct graph g;
		graph_random(&g, seed);
		struct toy_model m = graph_model(&g);
		fail_in(&m, (struct search_options){.keep_going = true, .sanity = (u32)seed % 4});
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_growing_table), cmocka_unit_test(a_depth_bound),
		cmocka_unit_test(violations),      cmocka_unit_test(sanity_checks),
		cmocka_unit_test(random_graphs),
	};
	return cmocka_run_group_tests_name("search_memory", tests, NULL, NULL);
}
