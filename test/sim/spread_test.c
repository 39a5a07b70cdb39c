/*
 * Many ranks that search one thing (search/spread.h), each a process, with rings between them: together
 * they find what one finds, each state once.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "models.h"
#include "ranks.h"

struct rank_found {
	enum search_end end;
	struct search_stats stats;
	u32 told, why, wrong_paths;
	u64 asked, given;
};

static struct {
	struct rank_found found[RANKS_MAX];
	const struct toy_model *model;
	struct search_options options;
} * common;

static void work(struct spread_port *port, void *arg)
{
	struct rank_found *f = &common->found[port->rank];
	struct toy t;

	(void)arg;
	toy_init(&t, common->model);
	common->options.strategy = SEARCH_SPREAD;
	t.hooks.port = port;
	f->end = toy_search(&t, &common->options);
	f->stats = t.stats;
	f->told = t.told;
	f->why = port->why;
	f->asked = port->asked;
	f->given = port->given;
}

/* The sum of what all ranks found. */
static struct search_stats run(const struct toy_model *model, const struct search_options *o, u32 ranks)
{
	struct search_stats all = {0};

	common = together_memory(sizeof(*common));
	common->model = model;
	common->options = *o;
	assert_int_equal(ranks_run(ranks, work, NULL), 0);
	for (u32 i = 0; i < ranks; i++) {
		const struct search_stats *s = &common->found[i].stats;

		assert_int_equal(common->found[i].end, common->found[0].end);
		all.states += s->states;
		all.transitions += s->transitions;
		all.revisited += s->revisited;
		all.end_states += s->end_states;
		all.violations += s->violations;
	}
	return all;
}

static void done(void)
{
	munmap(common, sizeof(*common));
}

static struct search_stats alone(const struct toy_model *model, struct search_options o)
{
	struct toy t;

	toy_init(&t, model);
	toy_search(&t, &o);
	toy_free(&t);
	return t.stats;
}

static void test_counts(void **state)
{
	const struct grid grid = {4, {9, 9, 9, 9}};
	const struct philosophers starving = {6, false};
	const struct toy_model first = grid_model(&grid), second = philosophers_model(&starving);
	const struct toy_model *const models[] = {&first, &second};

	(void)state;
	for (size_t i = 0; i < HD_ARRAY_LEN(models); i++)
		for (u32 ranks = 1; ranks <= RANKS_MAX; ranks++) {
			struct search_options o = {.keep_going = true};
			struct search_stats one = alone(models[i], o), many = run(models[i], &o, ranks);

			assert_int_equal(common->found[0].end, SEARCH_COMPLETE);
			assert_int_equal(many.states, one.states);
			assert_int_equal(many.transitions, one.transitions);
			assert_int_equal(many.revisited, one.revisited);
			assert_int_equal(many.end_states, one.end_states);
			assert_true((many.violations > 0) == (one.violations > 0));
			if (ranks > 1)
				assert_true(common->found[0].asked > 0);
			done();
		}
}

/* One finds it, all end. */
static void test_violation(void **state)
{
	(void)state;
	const struct philosophers starving = {7, false};
	const struct toy_model model = philosophers_model(&starving);
	struct search_options o = {0};
	struct search_stats many = run(&model, &o, 3);

	assert_int_equal(common->found[1].end, SEARCH_VIOLATION);
	assert_true(many.violations >= 1);
	done();
}

static void test_owners(void **state)
{
	u32 count[7] = {0};

	(void)state;
	for (u64 i = 0; i < 70000; i++) {
		u32 owner = spread_owner((struct fingerprint){i, i * 0x9e3779b97f4a7c15u}, 7);

		assert_true(owner < 7);
		count[owner]++;
	}
	for (u32 i = 0; i < 7; i++)
		assert_true(count[i] > 9000 && count[i] < 11000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts), cmocka_unit_test(test_violation),
					   cmocka_unit_test(test_owners)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
