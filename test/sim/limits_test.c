/*
 * How a search ends and what it then says: limits of each kind, stop, prune, restart,
 * keep-going, tool errors.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "models.h"

static const enum search_strategy all[] = {SEARCH_DFS, SEARCH_BFS, SEARCH_RANDOM, SEARCH_PCT};
static const enum search_strategy exhaustive[] = {SEARCH_DFS, SEARCH_BFS};

static const struct grid big_grid = {4, {30, 30, 30, 30}};

static enum search_end run(struct toy *t, const struct toy_model *m, const struct search_options *o)
{
	toy_init(t, m);
	enum search_end end = toy_search(t, o);
	assert_false(t->path_is_wrong);
	toy_free(t);
	return end;
}

static void states_are_limited(void **state)
{
	(void)state;
	struct toy_model m = grid_model(&big_grid);
	struct toy t;
	for (size_t i = 0; i < HD_ARRAY_LEN(all); i++) {
		struct search_options o = {.strategy = all[i], .max_states = 500};
		assert_int_equal(run(&t, &m, &o), SEARCH_LIMIT_STATES);
		assert_int_equal(t.stats.states, 500);
	}
}

/* A limit that is just large enough is no limit. */
static void an_exact_limit_is_complete(void **state)
{
	(void)state;
	struct grid g = {2, {4, 4}};
	struct toy_model m = grid_model(&g);
	struct toy t;
	for (size_t i = 0; i < HD_ARRAY_LEN(exhaustive); i++) {
		struct search_options o = {.strategy = exhaustive[i], .max_states = 25, .max_depth = 8};
		assert_int_equal(run(&t, &m, &o), SEARCH_COMPLETE);
		o.max_states = 24;
		assert_int_equal(run(&t, &m, &o), SEARCH_LIMIT_STATES);
		o.max_states = 25;
		o.max_depth = 7;
		assert_int_equal(run(&t, &m, &o), SEARCH_LIMIT_DEPTH);
		assert_int_equal(t.stats.states, 24);
		assert_int_equal(t.stats.max_depth, 7);
	}
}

static void depth_bounds_a_random_run(void **state)
{
	(void)state;
	struct toy_model m = grid_model(&big_grid);
	struct toy t;
	for (size_t i = 2; i < HD_ARRAY_LEN(all); i++) {
		struct search_options o = {.strategy = all[i], .max_depth = 10, .max_runs = 7};
		assert_int_equal(run(&t, &m, &o), SEARCH_LIMIT_RUNS);
		assert_int_equal(t.stats.runs, 7);
		assert_int_equal(t.stats.transitions, 70);
		assert_int_equal(t.stats.max_depth, 10);
	}
}

/* The toy's clock goes on by 1 ms at each look. */
static void time_is_limited(void **state)
{
	(void)state;
	struct toy_model m = grid_model(&big_grid);
	struct toy t;
	for (size_t i = 0; i < HD_ARRAY_LEN(all); i++) {
		struct search_options o = {.strategy = all[i], .max_time_ms = 20};
		assert_int_equal(run(&t, &m, &o), SEARCH_LIMIT_TIME);
		assert_int_equal(t.clock_ms, 21);
	}
}

static void memory_is_limited(void **state)
{
	(void)state;
	struct toy_model m = grid_model(&big_grid);
	struct toy t;
	for (size_t i = 0; i < HD_ARRAY_LEN(all); i++) {
		struct search_options o = {.strategy = all[i], .max_memory = 3 << 20};
		assert_int_equal(run(&t, &m, &o), SEARCH_LIMIT_MEMORY);
		assert_true(t.stats.memory < 5 << 20);
		assert_true(t.stats.states > 10000);
		if (all[i] != SEARCH_DFS)
			assert_true(t.stats.memory > 3 << 20);
	}
}

/* A table that is too large becomes a filter; the search goes on to its end, and tells what it missed. */
static void a_filter_takes_the_place_of_the_table(void **state)
{
	(void)state;
	const u64 states = 31 * 31 * 31 * 31;
	struct toy_model m = grid_model(&big_grid);
	struct search_options o = {.strategy = SEARCH_DFS, .max_memory = 3 << 20};
	struct toy t;
	assert_int_equal(run(&t, &m, &o), SEARCH_LIMIT_MEMORY);
	assert_true(t.stats.swept);
	assert_true(t.stats.memory <= o.max_memory);
	assert_in_range(t.stats.filtered_from, 10000, states / 2);
	assert_in_range(t.stats.states, states * 9 / 10, states - 1);
	assert_in_range(t.stats.states + t.stats.missed, states * 98 / 100, states * 102 / 100);

	o.max_memory = 64 << 20;
	assert_int_equal(run(&t, &m, &o), SEARCH_COMPLETE);
	assert_int_equal(t.stats.states, states);
	assert_int_equal(t.stats.filtered_from + t.stats.missed + t.stats.swept, 0);

	/* With a bound on the depth the table is needed as it is. */
	o = (struct search_options){.strategy = SEARCH_DFS, .max_memory = 3 << 20, .max_depth = 1000};
	assert_int_equal(run(&t, &m, &o), SEARCH_LIMIT_MEMORY);
	assert_int_equal(t.stats.filtered_from + t.stats.swept, 0);
}

static void stop_is_obeyed_at_once(void **state)
{
	(void)state;
	struct toy_model m = grid_model(&big_grid);
	for (size_t i = 0; i < HD_ARRAY_LEN(all); i++) {
		struct search_options o = {.strategy = all[i]};
		struct toy t;
		toy_init(&t, &m);
		t.stop_at_poll = 3;
		assert_int_equal(toy_search(&t, &o), SEARCH_INTERRUPTED);
		assert_int_equal(t.polls, 3);
		assert_true(t.steps < 1000);
		toy_free(&t);
	}
}

static void runs_end_by_themselves(void **state)
{
	(void)state;
	struct grid g = {2, {2, 2}};
	struct toy_model m = grid_model(&g);
	struct toy t;
	for (size_t i = 2; i < HD_ARRAY_LEN(all); i++) {
		struct search_options o = {.strategy = all[i]};
		assert_int_equal(run(&t, &m, &o), SEARCH_LIMIT_RUNS);
		assert_int_equal(t.stats.runs, 1000);
		assert_int_equal(t.stats.transitions, 4000);
		assert_int_equal(t.stats.states, 9);
		assert_int_equal(t.stats.end_states, 1);
		assert_int_equal(t.stats.revisited, 4000 - 8);
	}
}

static enum step_result step_that_is(enum step_result r, struct toy *t, u32 action)
{
	toy_set(t, 0, 1);
	t->key = action;
	return r;
}

/*
 * One state, two actions, the result of each given by the model's argument.
 */
static u32 two_actions(const struct toy *t, u32 *out)
{
	out[0] = MODEL_ACTION(0, 0);
	out[1] = MODEL_ACTION(1, 0);
	return t->var[0] ? 0 : 2;
}

static enum step_result two_step(struct toy *t, u32 action)
{
	const enum step_result *r = t->model->arg;
	return step_that_is(r[MODEL_FIBER(action)], t, action);
}

static struct toy_model two_model(const enum step_result *r)
{
	return (struct toy_model){.vars = 1, .actions = two_actions, .step = two_step, .arg = r};
}

static void pruned_steps_do_not_count(void **state)
{
	(void)state;
	enum step_result r[2] = {STEP_PRUNED, STEP_OK};
	struct toy_model m = two_model(r);
	struct toy t;
	for (size_t i = 0; i < HD_ARRAY_LEN(exhaustive); i++) {
		struct search_options o = {.strategy = exhaustive[i]};
		assert_int_equal(run(&t, &m, &o), SEARCH_COMPLETE);
		assert_int_equal(t.stats.pruned, 1);
		assert_int_equal(t.stats.transitions, 1);
		assert_int_equal(t.stats.states, 2);
		assert_int_equal(t.stats.revisited, 0);
	}
}

static void a_target_that_cannot_go_on_stops_the_search(void **state)
{
	(void)state;
	enum step_result r[2] = {STEP_STOP, STEP_STOP};
	struct toy_model m = two_model(r);
	struct toy t;
	for (size_t i = 0; i < HD_ARRAY_LEN(all); i++) {
		struct search_options o = {.strategy = all[i]};
		assert_int_equal(run(&t, &m, &o), SEARCH_STOPPED);
		assert_int_equal(t.insane, 0);
		assert_int_equal(t.told, 0);
	}
}

/* A violating step is a transition to no state. */
static void violations_of_both_actions(void **state)
{
	(void)state;
	enum step_result r[2] = {STEP_VIOLATION, STEP_VIOLATION};
	struct toy_model m = two_model(r);
	struct toy t;
	for (size_t i = 0; i < HD_ARRAY_LEN(all); i++) {
		struct search_options o = {.strategy = all[i], .max_runs = 50};
		assert_int_equal(run(&t, &m, &o), SEARCH_VIOLATION);
		assert_int_equal(t.stats.violations, 1);
		assert_int_equal(t.violation[0].len, 1);
		o.keep_going = true;
		assert_int_equal(run(&t, &m, &o), i < 2 ? SEARCH_COMPLETE : SEARCH_LIMIT_RUNS);
		assert_int_equal(t.stats.violations, 2);
		assert_int_equal(t.told, 2);
		assert_int_not_equal(t.violation[0].key, t.violation[1].key);
		assert_int_equal(t.stats.states, 1);
		assert_int_equal(t.stats.transitions, i < 2 ? 2 : 50);
		assert_int_equal(t.stats.revisited, 0);
	}
}

/* Many violations with few keys: each key is told once. */
static enum step_result faulty_grid_step(struct toy *t, u32 action)
{
	grid_step(t, action);
	t->key = (u64)t->var[0] % 3;
	return t->var[0] + t->var[1] == 5 ? STEP_VIOLATION : STEP_OK;
}

static void the_same_violation_is_told_once(void **state)
{
	(void)state;
	struct grid g = {2, {8, 8}};
	struct toy_model m = grid_model(&g);
	m.step = faulty_grid_step;
	struct toy t;
	for (size_t i = 0; i < HD_ARRAY_LEN(exhaustive); i++) {
		struct search_options o = {.strategy = exhaustive[i], .keep_going = true};
		assert_int_equal(run(&t, &m, &o), SEARCH_COMPLETE);
		assert_int_equal(t.told, 3);
		assert_int_equal(t.stats.violations, 3);
		/* x + y <= 4 is reached: 15 states, each with two actions */
		assert_int_equal(t.stats.states, 15);
		assert_int_equal(t.stats.transitions, 30);
	}
}

/* The initial state itself may be the violation. */
static enum terminal_kind always_bad(struct toy *t)
{
	t->key = 9;
	return TERMINAL_VIOLATION;
}

static void the_initial_state_may_be_bad(void **state)
{
	(void)state;
	struct grid g = {1, {0}};
	struct toy_model m = grid_model(&g);
	m.terminal = always_bad;
	struct toy t;
	for (size_t i = 0; i < HD_ARRAY_LEN(all); i++) {
		struct search_options o = {.strategy = all[i]};
		assert_int_equal(run(&t, &m, &o), SEARCH_VIOLATION);
		assert_int_equal(t.violation[0].len, 0);
		assert_int_equal(t.stats.states, 1);
		assert_int_equal(t.stats.end_states, 0);
	}
}

/*
 * A target that learns: as long as coarse[0] holds, a step of counter 0 counts by two; at 4
 * (then at 6) it notices that this was too coarse.
 */
static int granularity;

static enum step_result learning_step(struct toy *t, u32 action)
{
	u32 i = MODEL_FIBER(action);
	int by = i ? 1 : granularity;
	toy_set(t, i, t->var[i] + by);
	if (!i && granularity > 1 && t->var[0] >= 4 && t->var[1] == 2)
		return STEP_RESTART;
	return STEP_OK;
}

static void learn(struct toy *t)
{
	assert_int_equal(t->var[0], 0);
	assert_int_equal(t->var[1], 0);
	granularity /= 2;
}

static void restart_forgets_all_but_the_lesson(void **state)
{
	(void)state;
	struct grid g = {2, {8, 8}};
	struct toy_model m = grid_model(&g);
	m.step = learning_step;
	m.restart = learn;
	struct toy t;
	for (size_t i = 0; i < HD_ARRAY_LEN(all); i++) {
		struct search_options o = {.strategy = all[i], .max_runs = i < 2 ? 0 : 2000, .sanity = 3};
		granularity = 4;
		assert_int_equal(run(&t, &m, &o), i < 2 ? SEARCH_COMPLETE : SEARCH_LIMIT_RUNS);
		assert_int_equal(granularity, 1);
		assert_int_equal(t.stats.restarts, 2);
		assert_int_equal(t.insane, 0);
		assert_int_equal(t.stats.states, 81);
		if (i < 2)
			assert_int_equal(t.stats.transitions, 2 * 9 * 8);
		else
			assert_int_equal(t.stats.runs, 2000);
	}
}

/* What was told before a restart is told again after it. */
static enum step_result learning_faulty_step(struct toy *t, u32 action)
{
	enum step_result r = learning_step(t, action);
	t->key = 5;
	return r == STEP_OK && t->var[1] == 8 ? STEP_VIOLATION : r;
}

static void violations_are_found_again_after_a_restart(void **state)
{
	(void)state;
	struct grid g = {2, {8, 8}};
	struct toy_model m = grid_model(&g);
	m.step = learning_faulty_step;
	m.restart = learn;
	struct toy t;
	for (size_t i = 0; i < HD_ARRAY_LEN(exhaustive); i++) {
		struct search_options o = {.strategy = exhaustive[i], .keep_going = true};
		granularity = 2;
		assert_int_equal(run(&t, &m, &o), SEARCH_COMPLETE);
		assert_int_equal(t.stats.restarts, 1);
		assert_int_equal(t.told, 1);
		assert_int_equal(t.stats.violations, 1);
	}
}

/*
 * The same, but it lets the search go on: what is found after the lesson does not count, and the search
 * starts again at its end, or instead of telling of a violation.
 */
static bool learnt_in_passing;

static enum step_result passing_step(struct toy *t, u32 action)
{
	learnt_in_passing |= learning_step(t, action) == STEP_RESTART;
	return STEP_OK;
}

static enum step_result passing_faulty_step(struct toy *t, u32 action)
{
	passing_step(t, action);
	t->key = 5;
	return t->var[1] == 8 ? STEP_VIOLATION : STEP_OK;
}

static void learn_at_last(struct toy *t)
{
	learnt_in_passing = false;
	learn(t);
}

static bool is_stale(const struct toy *t)
{
	return learnt_in_passing;
}

static void a_stale_search_goes_on_and_does_not_count(void **state)
{
	(void)state;
	struct grid g = {2, {8, 8}};
	struct toy_model m = grid_model(&g);
	m.restart = learn_at_last;
	m.stale = is_stale;
	struct toy t;
	for (size_t i = 0; i < HD_ARRAY_LEN(exhaustive); i++) {
		for (int faulty = 0; faulty < 2; faulty++) {
			struct search_options o = {.strategy = exhaustive[i], .keep_going = true};
			m.step = faulty ? passing_faulty_step : passing_step;
			granularity = 4;
			assert_int_equal(run(&t, &m, &o), SEARCH_COMPLETE);
			assert_int_equal(granularity, 1);
			assert_int_equal(t.stats.restarts, 2);
			assert_int_equal(t.told, faulty);
			if (!faulty)
				assert_int_equal(t.stats.states, 81);
		}
	}
}

/*
 * A long chain with three side states at each link, each with a single step back to the chain. Of these,
 * breadth-first search keeps nothing once they are extended; the chain it must keep, as the way to the
 * last state.
 */
#define LINKS 20000

static u32 comb_actions(const struct toy *t, u32 *out)
{
	u32 n = t->var[1] ? 1 : 4;
	for (u32 i = 0; i < n; i++)
		out[i] = MODEL_ACTION(0, i);
	return t->var[0] < LINKS ? n : 0;
}

static enum step_result comb_step(struct toy *t, u32 action)
{
	toy_set(t, 1, t->var[1] ? 0 : (int)(action & 3));
	toy_set(t, 0, t->var[0] + (action ? 0 : 1));
	return STEP_OK;
}

static void bfs_keeps_only_ancestors(void **state)
{
	(void)state;
	struct toy_model m = {.vars = 2, .actions = comb_actions, .step = comb_step};
	struct search_options o = {.strategy = SEARCH_BFS};
	struct toy t;
	assert_int_equal(run(&t, &m, &o), SEARCH_COMPLETE);
	assert_int_equal(t.stats.states, 4 * LINKS + 1);
	assert_int_equal(t.stats.transitions, 7 * LINKS);
	/* The visited table: 2 MiB; the chain: 64 bytes a node; scratch. All nodes would need 5 MiB. */
	assert_true(t.stats.memory < (2 << 20) + LINKS * 64 + (5 << 18));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states_are_limited),
		cmocka_unit_test(an_exact_limit_is_complete),
		cmocka_unit_test(depth_bounds_a_random_run),
		cmocka_unit_test(time_is_limited),
		cmocka_unit_test(memory_is_limited),
		cmocka_unit_test(a_filter_takes_the_place_of_the_table),
		cmocka_unit_test(stop_is_obeyed_at_once),
		cmocka_unit_test(runs_end_by_themselves),
		cmocka_unit_test(pruned_steps_do_not_count),
		cmocka_unit_test(a_target_that_cannot_go_on_stops_the_search),
		cmocka_unit_test(violations_of_both_actions),
		cmocka_unit_test(the_same_violation_is_told_once),
		cmocka_unit_test(the_initial_state_may_be_bad),
		cmocka_unit_test(restart_forgets_all_but_the_lesson),
		cmocka_unit_test(violations_are_found_again_after_a_restart),
		cmocka_unit_test(a_stale_search_goes_on_and_does_not_count),
		cmocka_unit_test(bfs_keeps_only_ancestors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
