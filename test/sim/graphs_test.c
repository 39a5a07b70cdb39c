/*
 * Random graphs: what the strategies count and find equals what a simple, independent
 * enumeration says: with and without a bound on the depth.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "graph.h"

#define GRAPHS 600

static u64 key_sum(const struct toy *t)
{
	u64 sum = 0;
	for (u32 i = 0; i < t->told; i++)
		sum += t->violation[i].key;
	return sum;
}

static u64 shortest_told(const struct toy *t)
{
	u64 least = ~0ull;
	for (u32 i = 0; i < t->told; i++)
		least = HD_MIN(least, t->violation[i].len);
	return least;
}

static void check_counts(const struct toy *t, const struct graph_facts *f)
{
	assert_int_equal(t->stats.states, f->states);
	assert_int_equal(t->stats.transitions, f->transitions);
	assert_int_equal(t->stats.end_states, f->end_states);
	assert_int_equal(t->stats.pruned, f->pruned);
	assert_int_equal(t->stats.violations, f->violations);
	assert_int_equal(t->told, f->violations);
	assert_int_equal(key_sum(t), f->key_sum);
	assert_false(t->path_is_wrong);
	assert_int_equal(t->insane, 0);
}

/* Collect everything, and compare. */
static void check_graph(const struct graph *g, enum search_strategy strategy, u64 bound, u32 sanity)
{
	struct toy_model m = graph_model(g);
	struct graph_facts f = graph_enumerate(g, bound ? bound : ~0ull);
	struct search_options o = {
		.strategy = strategy, .keep_going = true, .max_depth = bound, .sanity = sanity};
	struct toy t;
	toy_init(&t, &m);
	enum search_end end = toy_search(&t, &o);
	assert_int_equal(end, f.beyond ? SEARCH_LIMIT_DEPTH : SEARCH_COMPLETE);
	check_counts(&t, &f);
	if (!bound && !f.violations)
		assert_int_equal(t.stats.revisited, f.transitions - (f.states - 1));
	if (strategy == SEARCH_BFS)
		assert_int_equal(shortest_told(&t), f.shortest);
	toy_free(&t);
}

static void check_first_violation(const struct graph *g, enum search_strategy strategy)
{
	struct toy_model m = graph_model(g);
	struct graph_facts f = graph_enumerate(g, ~0ull);
	struct toy t;
	toy_init(&t, &m);
	enum search_end end = toy_search(&t, &(struct search_options){.strategy = strategy});
	assert_int_equal(end, f.violations ? SEARCH_VIOLATION : SEARCH_COMPLETE);
	assert_int_equal(t.told, f.violations ? 1 : 0);
	assert_false(t.path_is_wrong);
	if (f.violations && strategy == SEARCH_BFS)
		assert_int_equal(t.violation[0].len, f.shortest);
	toy_free(&t);
}

static void dfs_finds_all(void **state)
{
	(void)state;
	struct graph g;
	for (u64 seed = 0; seed < GRAPHS; seed++) {
		graph_random(&g, seed);
		check_graph(&g, SEARCH_DFS, 0, 0);
		check_first_violation(&g, SEARCH_DFS);
	}
}

static void bfs_finds_all_and_the_shortest(void **state)
{
	(void)state;
	struct graph g;
	for (u64 seed = 0; seed < GRAPHS; seed++) {
		graph_random(&g, seed);
		check_graph(&g, SEARCH_BFS, 0, 0);
		check_first_violation(&g, SEARCH_BFS);
	}
}

/* "Nothing within d steps" must be true, and the counts those of the graph within d steps. */
static void a_bound_on_the_depth_hides_nothing(void **state)
{
	(void)state;
	struct graph g;
	for (u64 seed = 0; seed < GRAPHS; seed++) {
		graph_random(&g, seed);
		for (u64 bound = 1; bound <= 12; bound++) {
			check_graph(&g, SEARCH_DFS, bound, 0);
			check_graph(&g, SEARCH_BFS, bound, 0);
		}
	}
}

/* The checks themselves must not disturb the search. */
static void sanity_changes_no_counts(void **state)
{
	(void)state;
	struct graph g;
	for (u64 seed = 0; seed < GRAPHS / 4; seed++) {
		graph_random(&g, seed);
		for (u32 level = 1; level <= 3; level++) {
			check_graph(&g, SEARCH_DFS, 0, level);
			check_graph(&g, SEARCH_DFS, 5, level);
			check_graph(&g, SEARCH_BFS, 0, level);
			check_graph(&g, SEARCH_BFS, 5, level);
		}
	}
}

/* Enough random runs on a graph without traps see every state and every violation. */
static void random_runs_find_all_of_small_graphs(void **state)
{
	(void)state;
	static const enum search_strategy walks[] = {SEARCH_RANDOM, SEARCH_PCT};
	for (size_t i = 0; i < HD_ARRAY_LEN(walks); i++) {
		u64 found = 0, there = 0;
		for (u64 seed = 0; seed < 40; seed++) {
			struct graph g;
			graph_random(&g, seed);
			struct toy_model m = graph_model(&g);
			struct graph_facts f = graph_enumerate(&g, ~0ull);
			struct search_options o = {.strategy = walks[i],
						   .seed = seed,
						   .max_runs = 2000,
						   .max_depth = 50,
						   .keep_going = true};
			struct toy t;
			toy_init(&t, &m);
			assert_int_equal(toy_search(&t, &o), SEARCH_LIMIT_RUNS);
			assert_int_equal(t.stats.runs, 2000);
			assert_true(t.stats.states <= f.states);
			assert_true(t.stats.violations <= f.violations);
			assert_true(t.stats.end_states <= f.end_states);
			assert_false(t.path_is_wrong);
			found += t.stats.states;
			there += f.states;
			toy_free(&t);
		}
		/* The seeds are fixed: this either always holds or never. */
		assert_true(found * 10 >= there * (walks[i] == SEARCH_RANDOM ? 9 : 5));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dfs_finds_all),
		cmocka_unit_test(bfs_finds_all_and_the_shortest),
		cmocka_unit_test(a_bound_on_the_depth_hides_nothing),
		cmocka_unit_test(sanity_changes_no_counts),
		cmocka_unit_test(random_runs_find_all_of_small_graphs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
