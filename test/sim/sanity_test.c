/*
 * --sanity: a target that breaks its contract is found out, and told what is wrong;
 * one that keeps it is left alone.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "models.h"

static const enum search_strategy all[] = {SEARCH_DFS, SEARCH_BFS, SEARCH_RANDOM, SEARCH_PCT};

static const struct grid grid = {3, {12, 12, 12}};

/* The last variable of the grid follows the counters, so that faults in it show. */
static enum step_result busy_step(struct toy *t, u32 action)
{
	grid_step(t, action);
	toy_set(t, 3, (t->var[0] + 2 * t->var[1] + 3 * t->var[2]) % 5);
	return STEP_OK;
}

static struct toy_model busy_model(void)
{
	struct toy_model m = grid_model(&grid);
	m.step = busy_step;
	return m;
}

static struct toy search(enum toy_fault fault, enum search_strategy strategy, u32 sanity)
{
	struct toy_model m = busy_model();
	struct search_options o = {.strategy = strategy, .sanity = sanity, .max_runs = 100};
	struct toy t;
	toy_init(&t, &m);
	t.fault = fault;
	enum search_end end = toy_search(&t, &o);
	assert_int_equal(end == SEARCH_TOOL_ERROR, t.insane == 1);
	toy_free(&t);
	return t;
}

static void a_sound_target_passes(void **state)
{
	(void)state;
	for (size_t i = 0; i < HD_ARRAY_LEN(all); i++)
		for (u32 level = 0; level <= 3; level++) {
			struct toy t = search(TOY_SOUND, all[i], level);
			assert_int_equal(t.insane, 0);
			if (level == 0)
				assert_int_equal(t.stats.sanity_checks, 0);
			if (level == 2)
				assert_in_range(t.stats.sanity_checks, t.stats.transitions / 256,
						t.stats.transitions / 256 + 1);
			if (level == 3)
				assert_true(t.stats.sanity_checks > t.stats.transitions);
			if (i < 2)
				assert_int_equal(t.stats.states, 13 * 13 * 13);
		}
}

static void wrong_incremental_fingerprint(void **state)
{
	(void)state;
	for (size_t i = 0; i < HD_ARRAY_LEN(all); i++) {
		struct toy t = search(TOY_FINGERPRINT_MISSES, all[i], 3);
		assert_int_equal(t.insane, 1);
		assert_string_equal(t.insanity, "the incremental fingerprint differs from the full one");
		assert_int_equal(t.stats.transitions, 1);
		assert_int_equal(search(TOY_FINGERPRINT_MISSES, all[i], 2).insane, 1);
		assert_int_equal(search(TOY_FINGERPRINT_MISSES, all[i], 0).insane, 0);
	}
}

static void wrong_undo(void **state)
{
	(void)state;
	for (size_t i = 0; i < HD_ARRAY_LEN(all); i++) {
		struct toy t = search(TOY_UNDO_MISSES, all[i], 3);
		assert_int_equal(t.insane, 1);
		/* It shows after an undo, or when a path is executed from a start that is not the start. */
		assert_true(strstr(t.insanity, "after undo") ||
			    strstr(t.insanity, "executing the path again"));
	}
}

static void not_deterministic(void **state)
{
	(void)state;
	for (size_t i = 0; i < HD_ARRAY_LEN(all); i++) {
		struct toy t = search(TOY_NOT_DETERMINISTIC, all[i], 3);
		assert_int_equal(t.insane, 1);
		assert_non_null(strstr(t.insanity, "executing the path again"));
	}
}

static void an_action_that_vanishes(void **state)
{
	(void)state;
	struct toy_model m = busy_model();
	struct search_options o = {.strategy = SEARCH_DFS, .sanity = 3};
	struct toy t;
	toy_init(&t, &m);
	t.fault = TOY_ACTION_VANISHES;
	assert_int_equal(toy_search(&t, &o), SEARCH_TOOL_ERROR);
	assert_string_equal(t.insanity, "executing the path again: an action is no longer enabled");
	toy_free(&t);
}

/* From the 10,000th state on fewer paths are executed again, but still some. */
static void re_execution_becomes_rarer(void **state)
{
	(void)state;
	struct grid g = {2, {140, 140}};
	struct toy_model m = grid_model(&g);
	struct search_options o = {.strategy = SEARCH_DFS, .sanity = 3};
	struct toy t;
	toy_init(&t, &m);
	assert_int_equal(toy_search(&t, &o), SEARCH_COMPLETE);
	assert_int_equal(t.stats.states, 141 * 141);
	assert_int_equal(t.stats.transitions, 2 * 140 * 141);
	/*
	 * The initial state: 1 comparison. Each transition: 1 after the step, 2 when it is undone. Each
	 * re-execution: 2; for the states 2 to 10000, then for every other.
	 */
	u64 replays = 9999 + (141 * 141 - 10000) / 2;
	assert_int_equal(t.stats.sanity_checks, 1 + 3 * t.stats.transitions + 2 * replays);
	toy_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sound_target_passes),
		cmocka_unit_test(wrong_incremental_fingerprint),
		cmocka_unit_test(wrong_undo),
		cmocka_unit_test(not_deterministic),
		cmocka_unit_test(an_action_that_vanishes),
		cmocka_unit_test(re_execution_becomes_rarer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
