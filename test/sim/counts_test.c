/*
 * Exact counts: each exhaustive strategy must find the states and transitions that
 * the models are known to have. They are what the real target's counts are compared with.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "models.h"

static const enum search_strategy exhaustive[] = {SEARCH_DFS, SEARCH_BFS};

struct counts {
	u64 states, transitions, end_states, max_depth;
};

static void check(const struct toy_model *m, const struct search_options *o, struct counts c)
{
	struct toy t;
	toy_init(&t, m);
	assert_int_equal(toy_search(&t, o), SEARCH_COMPLETE);
	assert_int_equal(t.stats.states, c.states);
	assert_int_equal(t.stats.transitions, c.transitions);
	assert_int_equal(t.stats.revisited, c.transitions - (c.states - 1));
	assert_int_equal(t.stats.end_states, c.end_states);
	assert_int_equal(t.stats.max_depth, c.max_depth);
	assert_int_equal(t.stats.violations, 0);
	assert_int_equal(t.steps, c.transitions);
	assert_int_equal(t.told, 0);
	assert_true(t.stats.memory > 0);
	toy_free(&t);
}

static void check_all(const struct toy_model *m, struct counts c)
{
	for (size_t i = 0; i < HD_ARRAY_LEN(exhaustive); i++)
		check(m, &(struct search_options){.strategy = exhaustive[i]}, c);
}

static void grid_one_counter(void **state)
{
	(void)state;
	struct grid g = {1, {1000}};
	struct toy_model m = grid_model(&g);
	check_all(&m, (struct counts){1001, 1000, 1, 1000});
}

static void grid_nothing_to_do(void **state)
{
	(void)state;
	struct grid g = {1, {0}};
	struct toy_model m = grid_model(&g);
	check_all(&m, (struct counts){1, 0, 1, 0});
}

/* 4·5·6·7 states; of each counter's steps there is one per combination of the others. */
static void grid_product(void **state)
{
	(void)state;
	struct grid g = {4, {3, 4, 5, 6}};
	struct toy_model m = grid_model(&g);
	u64 states = 4 * 5 * 6 * 7, transitions = 0;
	for (u32 i = 0; i < 4; i++)
		transitions += states / (u64)(g.limit[i] + 1) * (u64)g.limit[i];
	check_all(&m, (struct counts){states, transitions, 1, 18});
}

/* Without matching, the states are the nodes of the tree of all paths: sum over (i,j) of binomial(i+j, i). */
static void grid_without_matching(void **state)
{
	(void)state;
	struct grid g = {2, {3, 4}};
	struct toy_model m = grid_model(&g);
	u64 nodes = 0, paths[4][5];
	for (int i = 0; i <= 3; i++)
		for (int j = 0; j <= 4; j++)
			nodes += paths[i][j] = i && j ? paths[i - 1][j] + paths[i][j - 1] : 1;
	for (size_t i = 0; i < HD_ARRAY_LEN(exhaustive); i++)
		check(&m, &(struct search_options){.strategy = exhaustive[i], .no_matching = true},
		      (struct counts){nodes, nodes - 1, paths[3][4], 7});
}

static void philosophers_with_ordered_locks(void **state)
{
	(void)state;
	static const struct counts known[] = {
		[4] = {326, 906, 1, 17},      [5] = {1302, 4517, 1, 21},    [6] = {5206, 21645, 1, 25},
		[7] = {20822, 100893, 1, 29}, [8] = {83286, 460829, 1, 33},
	};
	for (u32 n = 4; n <= 8; n++) {
		struct philosophers p = {n, true};
		struct toy_model m = philosophers_model(&p);
		check_all(&m, known[n]);
	}
}

/* Everybody holds one fork: one deadlock; reached by creating, starting and locking once each. */
static void philosophers_deadlock(void **state)
{
	(void)state;
	for (u32 n = 2; n <= 6; n++) {
		struct philosophers p = {n, false};
		struct toy_model m = philosophers_model(&p);
		struct toy t;
		toy_init(&t, &m);
		assert_int_equal(toy_search(&t, &(struct search_options){.strategy = SEARCH_BFS}),
				 SEARCH_VIOLATION);
		assert_int_equal(t.told, 1);
		assert_int_equal(t.violation[0].len, 1 + 2 * n);
		assert_false(t.path_is_wrong);
		toy_free(&t);

		toy_init(&t, &m);
		assert_int_equal(toy_search(&t, &(struct search_options){0}), SEARCH_VIOLATION);
		assert_int_equal(t.stats.violations, 1);
		assert_true(t.violation[0].len >= 1 + 2 * n);
		assert_false(t.path_is_wrong);
		toy_free(&t);
	}
}

/* Depth-first search tries actions in the order the target gives them: its first path is the first of all. */
static u32 order_actions(const struct toy *t, u32 *out)
{
	for (u32 i = 0; i < 3; i++)
		out[i] = MODEL_ACTION(i, 0);
	return t->var[0] < 4 ? 3 : 0;
}

static enum step_result order_step(struct toy *t, u32 action)
{
	toy_set(t, 1, t->var[1] * 3 + (int)MODEL_FIBER(action));
	toy_set(t, 0, t->var[0] + 1);
	return STEP_OK;
}

static enum terminal_kind order_terminal(struct toy *t)
{
	t->key = (u64)t->var[1];
	return TERMINAL_VIOLATION;
}

static void dfs_tries_actions_in_order(void **state)
{
	(void)state;
	struct toy_model m = {
		.vars = 2, .actions = order_actions, .step = order_step, .terminal = order_terminal};
	struct toy t;
	toy_init(&t, &m);
	assert_int_equal(toy_search(&t, &(struct search_options){.keep_going = true}), SEARCH_COMPLETE);
	assert_int_equal(t.told, 81);
	for (u32 i = 0; i < t.told; i++)
		assert_int_equal(t.violation[i].key, i);
	toy_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grid_one_counter),
		cmocka_unit_test(grid_nothing_to_do),
		cmocka_unit_test(grid_product),
		cmocka_unit_test(grid_without_matching),
		cmocka_unit_test(philosophers_with_ordered_locks),
		cmocka_unit_test(philosophers_deadlock),
		cmocka_unit_test(dfs_tries_actions_in_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
