/*
 * Several workers that search one thing (search/parallel.h): together they find what one finds, each state
 * once, however the work is divided; what one learns, all learn; and what one decides, all do.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "models.h"
#include "together.h"

#define WORKERS_MAX 4
#define KEYS_MAX 64

/* What the workers of a run found; in shared memory. */
struct found {
	const struct toy_model *model;
	struct search_options o;
	enum search_end end[WORKERS_MAX];
	struct search_stats stats[WORKERS_MAX];
	u64 key[WORKERS_MAX][KEYS_MAX];
	u32 keys[WORKERS_MAX];
	u32 wrong_paths;
	bool begins_elsewhere; /* all workers but the first */
	const struct target_team *team;
	u32 lesson; /* what was learnt, for all: struct lessons below */
};

static struct found *found;
static u32 own_number; /* of the worker that this process is */
static bool wants_again;

static bool is_stale(void *t)
{
	(void)t;
	return wants_again;
}

static void work(struct team_member *m, void *arg)
{
	struct toy t;
	struct target_ops ops;
	(void)arg;
	toy_init(&t, found->model);
	ops = *t.target.ops;
	ops.team = found->team;
	ops.stale = found->team ? is_stale : NULL;
	t.target.ops = &ops;
	own_number = m->number;
	if (found->begins_elsewhere && own_number)
		toy_set(&t, t.model->vars - 1, 1);
	t.hooks.team = m;
	found->end[m->number] = toy_search(&t, &found->o);
	found->stats[m->number] = t.stats;
	for (u32 i = 0; i < t.told && i < KEYS_MAX; i++)
		found->key[m->number][found->keys[m->number]++] = t.violation[i].key;
	__atomic_fetch_add(&found->wrong_paths, t.path_is_wrong, __ATOMIC_RELAXED);
}

static struct search_stats sum;

static void search(u32 workers, const struct toy_model *m, const struct search_options *o)
{
	found->model = m;
	found->o = *o;
	assert_int_equal(together_run(workers, work, NULL), 0);
	sum = (struct search_stats){0};
	for (u32 i = 0; i < workers; i++) {
		assert_int_equal(found->end[i], found->end[0]);
		sum.states += found->stats[i].states;
		sum.transitions += found->stats[i].transitions;
		sum.revisited += found->stats[i].revisited;
		sum.end_states += found->stats[i].end_states;
	}
	assert_int_equal(found->wrong_paths, 0);
}

static int setup(void **state)
{
	(void)state;
	found = together_memory(sizeof(*found));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return munmap(found, sizeof(*found));
}

static void expect_same(const struct toy_model *m)
{
	const struct search_options o = {.strategy = SEARCH_DFS};
	struct toy t;
	toy_init(&t, m);
	assert_int_equal(toy_search(&t, &o), SEARCH_COMPLETE);
	bool shared = false;
	/* Until something was shared at least once, else nothing is tested. */
	for (u32 i = 0; i < 3 || (!shared && i < 1000); i++) {
		u32 workers = 2 + i % (WORKERS_MAX - 1), busy = 0;
		search(workers, m, &o);
		assert_int_equal(found->end[0], SEARCH_COMPLETE);
		assert_int_equal(sum.states, t.stats.states);
		assert_int_equal(sum.transitions, t.stats.transitions);
		assert_int_equal(sum.revisited, t.stats.revisited);
		assert_int_equal(sum.end_states, t.stats.end_states);
		for (u32 w = 0; w < workers; w++)
			busy += found->stats[w].transitions > 0;
		shared |= busy > 1;
	}
	assert_true(shared);
	toy_free(&t);
}

/* More states than the table has room for at first. */
static void counts_are_those_of_one(void **state)
{
	(void)state;
	struct grid g = {4, {16, 16, 16, 16}};
	struct toy_model m = grid_model(&g);
	expect_same(&m);
}

/* One long path: whoever takes work has a long way to it. */
static void counts_of_a_deep_one(void **state)
{
	(void)state;
	struct grid g = {2, {2000, 5}};
	struct toy_model m = grid_model(&g);
	expect_same(&m);
}

static void counts_of_philosophers(void **state)
{
	(void)state;
	struct philosophers p = {.n = 6, .ordered = true};
	struct toy_model m = philosophers_model(&p);
	expect_same(&m);
}

/* ---- violations ---- */

/* Some corners of a grid are violations, each with its key. */
static enum step_result cornered_step(struct toy *t, u32 action)
{
	grid_step(t, action);
	u32 place = (u32)(t->var[0] * 31 * 31 + t->var[1] * 31 + t->var[2]);
	if (place % 997 || !place)
		return STEP_OK;
	t->key = place / 997 % 20;
	return STEP_VIOLATION;
}

static u64 keys_of_all(u32 workers)
{
	u64 keys = 0;
	for (u32 i = 0; i < workers; i++)
		for (u32 k = 0; k < found->keys[i]; k++)
			keys |= 1UL << found->key[i][k];
	return keys;
}

static void all_violations_are_found(void **state)
{
	(void)state;
	struct grid g = {3, {30, 30, 30}};
	struct toy_model m = grid_model(&g);
	const struct search_options o = {.strategy = SEARCH_DFS, .keep_going = true};
	struct toy t;
	m.step = cornered_step;
	toy_init(&t, &m);
	assert_int_equal(toy_search(&t, &o), SEARCH_COMPLETE);
	search(3, &m, &o);
	assert_int_equal(found->end[0], SEARCH_COMPLETE);
	assert_int_equal(keys_of_all(3), (1UL << 20) - 1);
	assert_int_equal(t.told, 20);
	assert_int_equal(sum.states, t.stats.states);
	assert_int_equal(sum.transitions, t.stats.transitions);
	assert_int_equal(sum.revisited, t.stats.revisited);
	toy_free(&t);
}

static void the_first_violation_ends_all(void **state)
{
	(void)state;
	struct grid g = {3, {30, 30, 30}};
	struct toy_model m = grid_model(&g);
	m.step = cornered_step;
	search(3, &m, &(struct search_options){.strategy = SEARCH_DFS});
	assert_int_equal(found->end[0], SEARCH_VIOLATION);
	assert_true(keys_of_all(3));
}

/* ---- limits ---- */

static void the_limit_of_states_is_one_for_all(void **state)
{
	(void)state;
	struct grid g = {4, {16, 16, 16, 16}};
	struct toy_model m = grid_model(&g);
	search(3, &m, &(struct search_options){.strategy = SEARCH_DFS, .max_states = 5000});
	assert_int_equal(found->end[0], SEARCH_LIMIT_STATES);
	assert_int_equal(sum.states, 5000);
}

static void the_limit_of_memory_is_one_for_all(void **state)
{
	(void)state;
	struct grid g = {4, {30, 30, 30, 30}};
	struct toy_model m = grid_model(&g);
	search(3, &m, &(struct search_options){.strategy = SEARCH_DFS, .max_memory = 1u << 20});
	assert_int_equal(found->end[0], SEARCH_LIMIT_MEMORY);
	assert_true(sum.states < 31 * 31 * 31 * 31);
}

/* Where the table does not fit, a filter takes its place, and the search goes on to its end. */
static void short_of_memory_bits_are_kept(void **state)
{
	(void)state;
	struct grid g = {4, {17, 17, 17, 17}};
	struct toy_model m = grid_model(&g);
	const u64 all = 18 * 18 * 18 * 18;
	search(3, &m, &(struct search_options){.strategy = SEARCH_DFS, .max_memory = 6u << 20});
	assert_int_equal(found->end[0], SEARCH_LIMIT_MEMORY);
	u64 missed = 0;
	for (u32 i = 0; i < 3; i++) {
		assert_int_equal(found->stats[i].swept, 1);
		assert_true(found->stats[i].filtered_from > 0 && found->stats[i].filtered_from < all);
		missed += found->stats[i].missed;
	}
	/* What lies behind missed ones alone is missed, too; and two may find the same state at once. */
	assert_true(sum.states + all / 100 + 3 * missed > all);
	assert_true(sum.states < all + all / 100);
	assert_int_equal(sum.end_states, 1);
}

/* ---- lessons ---- */

/*
 * A thing whose steps are too coarse until two events were seen, in whatever executions: one lies at one end
 * of the grid, the other one at the other. From then on the last counter goes further.
 */
enum { EVENT_A = 1, EVENT_B = 2, BOTH = 3 };
static u32 events, loaded;
static void (*say)(void *to, const u64 *word, u32 words);
static void *say_to;

/* Both events are known, in whatever way. */
static void learn(void)
{
	if (events != BOTH || loaded)
		return;
	__atomic_store_n(&found->lesson, 1, __ATOMIC_RELEASE);
	wants_again = true;
}

static void see(u32 event)
{
	if (events & event)
		return;
	events |= event;
	u64 word = event;
	if (say)
		say(say_to, &word, 1);
	learn();
}

static u32 lesson_actions(const struct toy *t, u32 *out)
{
	const struct grid *g = t->model->arg;
	u32 n = 0;
	for (u32 i = 0; i < g->counters; i++)
		if (t->var[i] < g->limit[i] + (int)(i == 2 && loaded))
			out[n++] = MODEL_ACTION(i, 0);
	return n;
}

static enum step_result lesson_step(struct toy *t, u32 action)
{
	grid_step(t, action);
	if (t->var[0] == 25 && t->var[1] == 1 && !t->var[2])
		see(EVENT_A);
	if (t->var[1] == 25 && t->var[0] == 1 && t->var[2] == 25)
		see(EVENT_B);
	return wants_again ? STEP_RESTART : STEP_OK;
}

static void lesson_restart(struct toy *t)
{
	(void)t;
	wants_again = false;
	loaded = __atomic_load_n(&found->lesson, __ATOMIC_ACQUIRE);
}

static void lesson_join(void *t, void (*with)(void *to, const u64 *word, u32 words), void *to)
{
	(void)t;
	say = with;
	say_to = to;
}

static void lesson_leave(void *t)
{
	(void)t;
	say = NULL;
}

static bool lesson_hear(void *t, const u64 *word, u32 words)
{
	(void)t;
	(void)words;
	events |= (u32)word[0];
	learn();
	return wants_again;
}

static bool never_hear(void *t, const u64 *word, u32 words)
{
	(void)t;
	(void)words;
	(void)word;
	return false;
}

static bool never(void *t)
{
	(void)t;
	return false;
}

static void learn_together(bool (*hear)(void *t, const u64 *word, u32 words), u32 times, u32 *missed)
{
	struct grid g = {3, {25, 25, 25}};
	struct toy_model m = grid_model(&g);
	const struct target_team team = {
		.join = lesson_join, .leave = lesson_leave, .hear = hear, .wants_alone = never};
	m.actions = lesson_actions;
	m.step = lesson_step;
	m.restart = lesson_restart;
	*missed = 0;
	for (u32 i = 0; i < times; i++) {
		found->team = &team;
		found->lesson = 0;
		search(2 + i % 3, &m, &(struct search_options){.strategy = SEARCH_DFS});
		assert_int_equal(found->end[0], SEARCH_COMPLETE);
		*missed += sum.states != 26 * 26 * 27;
	}
}

static void what_several_saw_is_learnt(void **state)
{
	(void)state;
	u32 missed;
	learn_together(lesson_hear, 12, &missed);
	assert_int_equal(missed, 0);
}

/* And the test would notice: without telling, lessons are missed. */
static void deaf_workers_miss_lessons(void **state)
{
	(void)state;
	u32 missed = 0, tries = 0;
	while (!missed && tries++ < 20)
		learn_together(never_hear, 5, &missed);
	assert_true(missed > 0);
}

/* ---- one goes on alone ---- */

static bool saw_far;

static enum step_result far_step(struct toy *t, u32 action)
{
	grid_step(t, action);
	saw_far |= t->var[0] == 25 && t->var[1] == 25;
	return STEP_OK;
}

static bool far_is_enough(void *t)
{
	(void)t;
	return saw_far;
}

static void one_goes_on_alone(void **state)
{
	(void)state;
	struct grid g = {3, {25, 25, 25}};
	struct toy_model m = grid_model(&g);
	const struct target_team team = {
		.join = lesson_join, .leave = lesson_leave, .hear = never_hear, .wants_alone = far_is_enough};
	m.step = far_step;
	found->team = &team;
	search(3, &m, &(struct search_options){.strategy = SEARCH_DFS});
	assert_int_equal(found->end[0], SEARCH_COMPLETE);
	assert_int_equal(found->stats[0].states, 26 * 26 * 26);
	assert_int_equal(sum.states, 26 * 26 * 26);
}

/* One step comes before all others, so that whoever takes work has to make it. */
static u32 different_actions(const struct toy *t, u32 *out)
{
	if (t->var[3])
		return grid_actions(t, out);
	out[0] = MODEL_ACTION(3, 0);
	return 1;
}

static enum step_result different_step(struct toy *t, u32 action)
{
	grid_step(t, action);
	if (own_number)
		toy_set(t, t->model->vars - 1, 1);
	return STEP_OK;
}

/* The same path leads elsewhere in another process: they find out, and leave it to one. */
static void who_disagrees_leaves_it_to_one(void **state)
{
	(void)state;
	struct grid g = {4, {12, 12, 12, 1}};
	struct toy_model m = grid_model(&g);
	m.actions = different_actions;
	m.step = different_step;
	search(2, &m, &(struct search_options){.strategy = SEARCH_DFS});
	assert_int_equal(found->end[0], SEARCH_COMPLETE);
	assert_int_equal(found->stats[0].states, 1 + 13 * 13 * 13);
	assert_int_equal(found->stats[1].states, 0);
}

static void who_begins_elsewhere_leaves_it_to_one(void **state)
{
	(void)state;
	struct grid g = {3, {12, 12, 12}};
	struct toy_model m = grid_model(&g);
	found->begins_elsewhere = true;
	search(2, &m, &(struct search_options){.strategy = SEARCH_DFS});
	assert_int_equal(found->end[0], SEARCH_COMPLETE);
	assert_int_equal(found->stats[0].states, 13 * 13 * 13);
	assert_int_equal(found->stats[1].states, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(counts_are_those_of_one, setup, teardown),
		cmocka_unit_test_setup_teardown(counts_of_a_deep_one, setup, teardown),
		cmocka_unit_test_setup_teardown(counts_of_philosophers, setup, teardown),
		cmocka_unit_test_setup_teardown(all_violations_are_found, setup, teardown),
		cmocka_unit_test_setup_teardown(the_first_violation_ends_all, setup, teardown),
		cmocka_unit_test_setup_teardown(the_limit_of_states_is_one_for_all, setup, teardown),
		cmocka_unit_test_setup_teardown(the_limit_of_memory_is_one_for_all, setup, teardown),
		cmocka_unit_test_setup_teardown(short_of_memory_bits_are_kept, setup, teardown),
		cmocka_unit_test_setup_teardown(what_several_saw_is_learnt, setup, teardown),
		cmocka_unit_test_setup_teardown(deaf_workers_miss_lessons, setup, teardown),
		cmocka_unit_test_setup_teardown(one_goes_on_alone, setup, teardown),
		cmocka_unit_test_setup_teardown(who_disagrees_leaves_it_to_one, setup, teardown),
		cmocka_unit_test_setup_teardown(who_begins_elsewhere_leaves_it_to_one, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
