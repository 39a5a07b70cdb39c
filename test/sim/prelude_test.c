/*
 * Walks before a depth-first search and in its pauses: they change no count, find what the search would be
 * long in coming to, and what they found stays told.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "models.h"
#include "search/prelude.h"

static enum search_end search(struct toy *t, const struct toy_model *m, const struct search_options *o)
{
	toy_init(t, m);
	enum search_end end = toy_search(t, o);
	toy_free(t);
	assert_false(t->path_is_wrong);
	return end;
}

static void counts_are_those_of_the_search(void **state)
{
	(void)state;
	struct grid g = {3, {20, 20, 20}};
	struct toy_model m = grid_model(&g);
	for (u32 sanity = 0; sanity < 3; sanity++) {
		struct search_options o = {.strategy = SEARCH_DFS, .sanity = sanity};
		struct toy alone, walked;
		assert_int_equal(search(&alone, &m, &o), SEARCH_COMPLETE);
		o.walks = true;
		assert_int_equal(search(&walked, &m, &o), SEARCH_COMPLETE);
		assert_true(alone.stats.transitions > 4 * PAUSE_FIRST); /* there were two pauses */
		assert_int_equal(alone.stats.walks, 0);
		assert_true(walked.stats.walks > 60);
		assert_true(walked.stats.walk_steps > 4000 + 3 * PAUSE_FIRST / PAUSE_SHARE);
		assert_int_equal(walked.stats.states, alone.stats.states);
		assert_int_equal(walked.stats.transitions, alone.stats.transitions);
		assert_int_equal(walked.stats.revisited, alone.stats.revisited);
		assert_int_equal(walked.stats.end_states, alone.stats.end_states);
		assert_int_equal(walked.stats.max_depth, alone.stats.max_depth);
		assert_int_equal(walked.told, 0);
	}
}

/* Fiber 0 makes a hundred thousand steps; the one of fiber 1 is wrong before the fourth of them. */
static u32 early_actions(const struct toy *t, u32 *out)
{
	u32 n = 0;
	if (t->var[0] < 100000)
		out[n++] = MODEL_ACTION(0, 0);
	if (!t->var[1])
		out[n++] = MODEL_ACTION(1, 0);
	return n;
}

static enum step_result early_step(struct toy *t, u32 action)
{
	u32 i = MODEL_FIBER(action);
	toy_set(t, i, t->var[i] + 1);
	return i == 1 && t->var[0] < 4 ? STEP_VIOLATION : STEP_OK;
}

static void what_lies_near_is_found_first(void **state)
{
	(void)state;
	struct toy_model m = {.vars = 2, .actions = early_actions, .step = early_step};
	struct search_options o = {.strategy = SEARCH_DFS, .max_states = 20000};
	struct toy t;
	assert_int_equal(search(&t, &m, &o), SEARCH_LIMIT_STATES);
	o.walks = true;
	assert_int_equal(search(&t, &m, &o), SEARCH_VIOLATION);
	assert_true(t.violation[0].len <= 4);
	assert_true(t.stats.states < 1000);
	u64 trail = t.trail;
	search(&t, &m, &o);
	assert_int_equal(t.trail, trail); /* the seed decides */
	o.strategy = SEARCH_BFS;          /* it finds the shortest way */
	assert_int_equal(search(&t, &m, &o), SEARCH_VIOLATION);
	assert_int_equal(t.violation[0].len, 1);
	assert_int_equal(t.stats.walks, 0);
}

static void what_was_told_stays_told(void **state)
{
	(void)state;
	struct toy_model m = {.vars = 2, .actions = early_actions, .step = early_step};
	struct search_options o = {
		.strategy = SEARCH_DFS, .max_states = 20000, .keep_going = true, .walks = true};
	struct toy t;
	assert_int_equal(search(&t, &m, &o), SEARCH_LIMIT_STATES);
	assert_int_equal(t.stats.states, 20000);
	assert_int_equal(t.stats.violations, 1);
	assert_int_equal(t.told, 1);
}

/* Wrong is that the last four counters have come to their ends before the first three begin. */
static enum step_result rare_step(struct toy *t, u32 action)
{
	grid_step(t, action);
	int sum[2] = {0};
	for (u32 i = 0; i < 7; i++)
		sum[i > 2] += t->var[i];
	return !sum[0] && sum[1] == 16 ? STEP_VIOLATION : STEP_OK;
}

static void pauses_find_what_the_prelude_does_not(void **state)
{
	(void)state;
	struct grid g = {7, {4, 4, 4, 4, 4, 4, 4}};
	struct toy_model m = grid_model(&g);
	m.step = rare_step;
	struct search_options o = {.strategy = SEARCH_DFS, .max_states = 60000, .seed = 10};
	struct toy t;
	assert_int_equal(search(&t, &m, &o), SEARCH_LIMIT_STATES);
	o.walks = true;
	assert_int_equal(search(&t, &m, &o), SEARCH_VIOLATION);
	assert_true(t.stats.states > 1000 && t.stats.walks > 100);
	assert_int_equal(t.violation[0].len, 16);
}

/* From some step in the first pause on, the target does something else: the way back leads elsewhere. */
static enum step_result changing_step(struct toy *t, u32 action)
{
	enum step_result r = grid_step(t, action);
	toy_set(t, 3, t->steps > 4000 + PAUSE_FIRST + PAUSE_FIRST / PAUSE_SHARE / 2);
	return r;
}

static void a_pause_that_does_not_lead_back(void **state)
{
	(void)state;
	struct grid g = {3, {20, 20, 20}};
	struct toy_model m = grid_model(&g);
	m.vars = 4;
	m.step = changing_step;
	struct search_options o = {.strategy = SEARCH_DFS, .walks = true};
	struct toy t;
	assert_int_equal(search(&t, &m, &o), SEARCH_COMPLETE);
	assert_int_equal(t.stats.restarts, 1);
	o.sanity = 1;
	assert_int_equal(search(&t, &m, &o), SEARCH_TOOL_ERROR);
	assert_int_equal(t.insane, 1);
}

/* What is learnt in passing: from some step on, the search is stale until it starts again. */
static bool lesson, taught;
static u64 lesson_at;

static bool is_stale(const struct toy *t)
{
	(void)t;
	return lesson;
}

static void start_again(struct toy *t)
{
	(void)t;
	taught |= lesson;
	lesson = false;
}

static enum step_result early_teaching_step(struct toy *t, u32 action)
{
	lesson |= !taught && t->steps > lesson_at;
	return early_step(t, action);
}

static enum step_result teaching_step(struct toy *t, u32 action)
{
	lesson |= !taught && t->steps > lesson_at;
	return grid_step(t, action);
}

/* A violation is told, then the prelude has a lesson: it is void, and has to be found again. */
static void a_lesson_after_a_violation(void **state)
{
	(void)state;
	struct toy_model m = {.vars = 2,
			      .actions = early_actions,
			      .step = early_teaching_step,
			      .stale = is_stale,
			      .restart = start_again};
	struct search_options o = {
		.strategy = SEARCH_DFS, .max_states = 20000, .keep_going = true, .walks = true};
	struct toy t;
	lesson = taught = false;
	lesson_at = 2000;
	assert_int_equal(search(&t, &m, &o), SEARCH_LIMIT_STATES);
	assert_true(taught && !lesson);
	assert_int_equal(t.stats.restarts, 1);
	assert_int_equal(t.told, 1);
}

static void a_lesson_in_a_pause(void **state)
{
	(void)state;
	struct grid g = {3, {20, 20, 20}};
	struct toy_model m = grid_model(&g);
	m.step = teaching_step;
	m.stale = is_stale;
	m.restart = start_again;
	struct search_options o = {.strategy = SEARCH_DFS, .walks = true};
	struct toy alone, t;
	taught = true;
	assert_int_equal(search(&alone, &m, &o), SEARCH_COMPLETE);
	lesson = taught = false;
	lesson_at = 4000 + PAUSE_FIRST + PAUSE_FIRST / PAUSE_SHARE / 2;
	assert_int_equal(search(&t, &m, &o), SEARCH_COMPLETE);
	assert_true(taught && !lesson);
	assert_int_equal(t.stats.restarts, 1);
	assert_int_equal(t.stats.states, alone.stats.states);
	assert_int_equal(t.stats.transitions, alone.stats.transitions);
	assert_true(t.steps < alone.steps + 2 * PAUSE_FIRST); /* at once, not at the end */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_those_of_the_search),
		cmocka_unit_test(what_lies_near_is_found_first),
		cmocka_unit_test(what_was_told_stays_told),
		cmocka_unit_test(pauses_find_what_the_prelude_does_not),
		cmocka_unit_test(a_pause_that_does_not_lead_back),
		cmocka_unit_test(a_lesson_after_a_violation),
		cmocka_unit_test(a_lesson_in_a_pause),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
