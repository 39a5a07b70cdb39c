/*
 * Random walk and PCT: the seed alone decides; rare bugs are found where the theory says
 * they are; a fiber that spins does not hold up the rest.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "models.h"

static const enum search_strategy walks[] = {SEARCH_RANDOM, SEARCH_PCT};

static u64 trail(const struct toy_model *m, const struct search_options *o)
{
	struct toy t;
	toy_init(&t, m);
	toy_search(&t, o);
	toy_free(&t);
	return t.trail;
}

static void the_seed_decides(void **state)
{
	(void)state;
	struct philosophers p = {5, true};
	struct toy_model m = philosophers_model(&p);
	for (size_t i = 0; i < HD_ARRAY_LEN(walks); i++) {
		struct search_options o = {.strategy = walks[i], .seed = 7, .max_runs = 20};
		u64 first = trail(&m, &o);
		assert_int_equal(trail(&m, &o), first);
		o.sanity = 1;
		assert_int_equal(trail(&m, &o), first);
		o.seed = 8;
		assert_int_not_equal(trail(&m, &o), first);
		o.seed = 0;
		assert_int_not_equal(trail(&m, &o), first);
	}
}

/*
 * A bug of depth 2: fiber 1 makes 300 steps; fiber 0's single step must fall exactly between steps
 * 200 and 201. A random walk gives fiber 0 an even chance from the start and practically never
 * finds it; PCT does with probability about 1/2 · 1/301 in each run, once it knows how long a run is.
 */
static u32 gap_actions(const struct toy *t, u32 *out)
{
	u32 n = 0;
	if (!t->var[0])
		out[n++] = MODEL_ACTION(0, 0);
	if (t->var[1] < 300)
		out[n++] = MODEL_ACTION(1, 0);
	return n;
}

static enum step_result gap_step(struct toy *t, u32 action)
{
	u32 i = MODEL_FIBER(action);
	toy_set(t, i, t->var[i] + 1);
	return i == 0 && t->var[1] == 200 ? STEP_VIOLATION : STEP_OK;
}

static void pct_finds_what_random_walk_does_not(void **state)
{
	(void)state;
	struct toy_model m = {.vars = 2, .actions = gap_actions, .step = gap_step};
	struct search_options o = {.max_runs = 5000, .pct_depth = 2, .seed = 1};
	struct toy t;

	o.strategy = SEARCH_PCT;
	toy_init(&t, &m);
	assert_int_equal(toy_search(&t, &o), SEARCH_VIOLATION);
	assert_int_equal(t.violation[0].len, 201);
	toy_free(&t);

	o.strategy = SEARCH_RANDOM;
	toy_init(&t, &m);
	assert_int_equal(toy_search(&t, &o), SEARCH_LIMIT_RUNS);
	toy_free(&t);
}

/* With pct_depth 1 there are no change points: two orders, no preemption. */
static void pct_depth_1_never_preempts(void **state)
{
	(void)state;
	struct grid g = {2, {20, 20}};
	struct toy_model m = grid_model(&g);
	struct search_options o = {.strategy = SEARCH_PCT, .max_runs = 100, .pct_depth = 1};
	struct toy t;
	toy_init(&t, &m);
	assert_int_equal(toy_search(&t, &o), SEARCH_LIMIT_RUNS);
	/* Along two edges of the square, both of them. */
	assert_int_equal(t.stats.states, 80);
	toy_free(&t);
}

/*
 * Fiber 0 spins until fiber 1 has made its step: it looks (1), looks away (0), for ever.
 */
static u32 spin_actions(const struct toy *t, u32 *out)
{
	u32 n = 0;
	if (t->var[0] < 2)
		out[n++] = MODEL_ACTION(0, 0);
	if (!t->var[1])
		out[n++] = MODEL_ACTION(1, 0);
	return n;
}

static enum step_result spin_step(struct toy *t, u32 action)
{
	if (MODEL_FIBER(action) == 1)
		toy_set(t, 1, 1);
	else
		toy_set(t, 0, t->var[1] ? 2 : !t->var[0]);
	return STEP_OK;
}

static void a_spinning_fiber_yields(void **state)
{
	(void)state;
	struct toy_model m = {.vars = 2, .actions = spin_actions, .step = spin_step};
	struct search_options o = {.strategy = SEARCH_PCT, .max_runs = 100};
	struct toy t;
	toy_init(&t, &m);
	assert_int_equal(toy_search(&t, &o), SEARCH_LIMIT_RUNS);
	assert_int_equal(t.stats.end_states, 1);
	assert_true(t.stats.transitions < 100 * 20);
	toy_free(&t);
}

/* Alone and for ever: the run is cut. */
static u32 forever_actions(const struct toy *t, u32 *out)
{
	(void)t;
	out[0] = MODEL_ACTION(0, 0);
	return 1;
}

static enum step_result forever_step(struct toy *t, u32 action)
{
	(void)action;
	toy_set(t, 0, !t->var[0]);
	return STEP_OK;
}

static void an_endless_run_is_cut(void **state)
{
	(void)state;
	struct toy_model m = {.vars = 1, .actions = forever_actions, .step = forever_step};
	for (size_t i = 0; i < HD_ARRAY_LEN(walks); i++) {
		struct search_options o = {.strategy = walks[i], .max_runs = 1};
		struct toy t;
		toy_init(&t, &m);
		assert_int_equal(toy_search(&t, &o), SEARCH_LIMIT_RUNS);
		assert_int_equal(t.stats.transitions, 1000000);
		assert_int_equal(t.stats.states, 2);
		toy_free(&t);
	}
}

/* A fiber with many outcomes gets no more turns than one with a single outcome. */
static u32 dice_actions(const struct toy *t, u32 *out)
{
	u32 n = 0;
	if (t->var[0] + t->var[1])
		return 0;
	out[n++] = MODEL_ACTION(0, 0);
	for (u32 i = 0; i < 99; i++)
		out[n++] = MODEL_ACTION(1, i);
	return n;
}

static int turns[2];

static enum step_result dice_step(struct toy *t, u32 action)
{
	turns[MODEL_FIBER(action)]++;
	toy_set(t, MODEL_FIBER(action), 1 + (int)(action & 0xffff));
	return STEP_OK;
}

static void fibers_not_outcomes_are_equal(void **state)
{
	(void)state;
	struct toy_model m = {.vars = 2, .actions = dice_actions, .step = dice_step};
	for (size_t i = 0; i < HD_ARRAY_LEN(walks); i++) {
		struct search_options o = {.strategy = walks[i], .max_runs = 4000, .seed = 3};
		struct toy t;
		turns[0] = turns[1] = 0;
		toy_init(&t, &m);
		toy_search(&t, &o);
		assert_in_range(turns[0], 1800, 2200);
		assert_int_equal(turns[0] + turns[1], 4000);
		/* all outcomes were seen, and the initial state */
		assert_int_equal(t.stats.states, 101);
		toy_free(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_seed_decides),
		cmocka_unit_test(pct_finds_what_random_walk_does_not),
		cmocka_unit_test(pct_depth_1_never_preempts),
		cmocka_unit_test(a_spinning_fiber_yields),
		cmocka_unit_test(an_endless_run_is_cut),
		cmocka_unit_test(fibers_not_outcomes_are_equal),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
