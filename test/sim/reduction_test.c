/*
 * The reduction (search/reduction.h) on random abstract programs (threads.h): end states, and what every
 * branch, try and time-out saw, must be those of the search without reduction. Targets that don't tell all
 * they should must be caught by the same comparison.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ranks.h"
#include "search/reduction.h"
#include "threads.h"

/* ---- searches ---- */

static struct search_stats stats;

static enum search_end run(struct team_member *m, struct spread_port *port, const struct search_options *o)
{
	struct toy t;
	struct target_ops ops;
	toy_init(&t, &model);
	ops = *t.target.ops;
	ops.footprint = code_footprint;
	ops.reduction = &code_reduction;
	t.target.ops = &ops;
	t.hooks.team = m;
	t.hooks.port = port;
	enum search_end end = toy_search(&t, o);
	stats = t.stats;
	toy_free(&t);
	return end;
}

/* Without reduction: false if it is too large. */
static bool search(const struct code *c, enum search_strategy strategy, bool reduce, u64 *sum)
{
	struct search_options o = {
		.strategy = strategy, .reduce = reduce, .walks = true, .max_states = 20000};
	code = c;
	forget_seen();
	enum search_end end = run(NULL, NULL, &o);
	*sum = seen_sum();
	assert_true(end == SEARCH_COMPLETE || (!reduce && end == SEARCH_LIMIT_STATES));
	return end == SEARCH_COMPLETE;
}

/* ---- random programs ---- */

static u64 seed;
static int below(int n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (int)((seed >> 33) % (u64)n);
}

/* Threads and numbered things. */
static struct instruction random_making(int thread, int threads)
{
	int dice = below(10), number = below(3) ? -1 : below(NUMBERS);
	if (dice < 3 && thread + 1 < threads)
		return (struct instruction){CREATE, thread + 1 + below(threads - thread - 1), 0, 0};
	if (dice < 5)
		return (struct instruction){OPEN, 0, 0, -1};
	return (struct instruction){dice < 8 ? USE : CLOSE, 0, number, -1};
}

/* Also waits in which a signal may be taken. */
static struct instruction random_signal(int thread, int threads)
{
	int dice = below(10);
	if (dice > 6 && thread)
		return (struct instruction){JOIN, below(thread), 0, 0};
	return (struct instruction){dice < 5 ? KILL : ARM, below(threads), dice == 6, 0};
}

static struct instruction random_instruction(int thread, int *held, int *count, bool small)
{
	int dice = below(100), m = below(small ? 2 : LOCKS);
	if (dice < 12)
		return (struct instruction){SET, below(SHARED), below(3), 0};
	if (dice < 20)
		return (struct instruction){INCREMENT, below(SHARED), 0, 0};
	if (dice < 34)
		return (struct instruction){BRANCH, below(SHARED), below(2), -1};
	if (dice < 62) {
		enum what what = dice < 50 ? LOCK : dice < 57 ? LOCK_TIMED : TRY;
		held[(*count)++] = m;
		return (struct instruction){what, m, 0, -1};
	}
	if (dice < 70 && *count)
		return (struct instruction){UNLOCK, held[--*count], 0, 0};
	if (dice < 83 && *count)
		return (struct instruction){dice < 78 ? WAIT : WAIT_TIMED, below(CONDS), held[below(*count)],
					    0};
	if (dice < 92)
		return (struct instruction){SIGNAL, below(CONDS), 0, 0};
	if (dice < 95)
		return (struct instruction){BROADCAST, below(CONDS), 0, 0};
	if (dice < 98 && thread)
		return (struct instruction){JOIN, below(thread), 0, 0};
	return (struct instruction){OWN, 0, 0, 0};
}

static void random_thread(struct code *c, int thread, bool loops, bool small, bool makes, bool signals)
{
	int held[OPS], count = 0, n = 0, wanted = 2 + below(5);
	for (; n < wanted; n++)
		c->op[thread][n] = signals && !below(4) ? random_signal(thread, c->threads)
				   : makes && below(3)  ? random_making(thread, c->threads)
							: random_instruction(thread, held, &count, small);
	while (count && n < OPS + 3)
		if (below(10))
			c->op[thread][n++] = (struct instruction){UNLOCK, held[--count], 0, 0};
		else
			count--;
	c->length[thread] = n;
	for (int i = 0; i < n; i++)
		if (c->op[thread][i].elsewhere < 0)
			c->op[thread][i].elsewhere = loops && below(10) < 3 ? below(i + 1)
									    : i + 1 + below(n - i);
}

static struct code random_code(u64 number)
{
	struct code c = {0};
	seed = number * 7919 + 17;
	c.threads = 2 + below(THREADS - 1);
	bool loops = number % 3 == 0, small = below(2), makes = number % 2;
	c.counts = number % 8 == 3;
	for (int thread = 0; thread < c.threads; thread++) {
		random_thread(&c, thread, loops, small, makes, number % 5 < 2);
		c.dormant[thread] = makes && thread && below(2);
	}
	return c;
}

/* ---- several workers ---- */

struct shares {
	u64 states[4];
	u32 wrong, by_several, passes;
};

static void work(struct team_member *m, void *arg)
{
	struct shares *shares = arg;
	const struct search_options o = {.strategy = SEARCH_DFS, .reduce = true};
	if (run(m, NULL, &o) != SEARCH_COMPLETE)
		__atomic_fetch_add(&shares->wrong, 1, __ATOMIC_RELAXED);
	shares->states[m->number] = stats.states;
}

static void search_together(const struct code *c, u32 workers, struct shares *shares, u64 *sum)
{
	code = c;
	forget_seen();
	memset(shares->states, 0, sizeof(shares->states));
	assert_int_equal(together_run(workers, work, shares), 0);
	assert_int_equal(shares->wrong, 0);
	u32 busy = 0;
	stats.states = 0;
	for (u32 i = 0; i < workers; i++) {
		busy += shares->states[i] > 0;
		stats.states += shares->states[i];
	}
	shares->by_several += busy > 1;
	*sum = seen_sum();
}

/* ---- many ranks ---- */

static void work_as_rank(struct spread_port *port, void *arg)
{
	struct shares *shares = arg;
	const struct search_options o = {
		.strategy = SEARCH_SPREAD, .reduce = true, .walks = port->ranks % 2, .seed = port->ranks};
	if (run(NULL, port, &o) != SEARCH_COMPLETE || port->why != SPREAD_OVER)
		__atomic_fetch_add(&shares->wrong, 1, __ATOMIC_RELAXED);
	shares->states[port->rank] = stats.states;
	__atomic_fetch_add(&shares->passes, stats.passes, __ATOMIC_RELAXED);
}

static void search_by_ranks(const struct code *c, u32 ranks, struct shares *shares, u64 *sum)
{
	code = c;
	forget_seen();
	memset(shares->states, 0, sizeof(shares->states));
	assert_int_equal(ranks_run(ranks, work_as_rank, shares), 0);
	assert_int_equal(shares->wrong, 0);
	u32 busy = 0;
	stats.states = 0;
	for (u32 i = 0; i < ranks; i++) {
		busy += shares->states[i] > 0;
		stats.states += shares->states[i];
	}
	shares->by_several += busy > 1;
	*sum = seen_sum();
}

/* How many of the programs don't come out the same with several workers, or several ranks. */
static u32 compare_together(u64 first, u64 count, bool as_ranks, u64 *full, u64 *reduced, u32 *by_several,
			    u32 *passes)
{
	struct shares *shares = together_memory(sizeof(*shares));
	u32 different = 0;
	for (u64 n = first; n < first + count; n++) {
		struct code c = random_code(n);
		u64 want, got;
		if (!search(&c, SEARCH_DFS, false, &want) || stats.states < 100)
			continue;
		*full += stats.states;
		if (as_ranks)
			search_by_ranks(&c, 1 + n % 4, shares, &got);
		else
			search_together(&c, 2 + n % 3, shares, &got);
		*reduced += stats.states;
		different += got != want;
	}
	*passes = shares->passes;
	*by_several = shares->by_several;
	munmap(shares, sizeof(*shares));
	return different;
}

/* How many of the programs don't come out the same; states: with and without. */
static u32 compare(u64 first, u64 count, u64 *full, u64 *reduced)
{
	static const enum search_strategy strategies[] = {SEARCH_DFS, SEARCH_BFS};
	u32 different = 0;
	*full = *reduced = 0;
	for (u64 n = first; n < first + count; n++) {
		struct code c = random_code(n);
		u64 want, got;
		if (!search(&c, SEARCH_DFS, false, &want))
			continue;
		*full += stats.states;
		for (u32 s = 0; s < HD_ARRAY_LEN(strategies); s++) {
			search(&c, strategies[s], true, &got);
			*reduced += strategies[s] == SEARCH_DFS ? stats.states : 0;
			different += got != want;
		}
	}
	return different;
}

/* More of them by hand, fewer under the sanitizers. */
static u64 how_many(u64 usual)
{
	const char *wanted = getenv("REDUCTION_PROGRAMS");
	return wanted ? strtoull(wanted, NULL, 10) : usual;
}

static void random_programs(void **state)
{
	u64 full, reduced;
	assert_int_equal(compare(1, how_many(900), &full, &reduced), 0);
	assert_true(reduced < full);
}

static void random_programs_by_several(void **state)
{
	u32 by_several, passes;
	u64 count = how_many(700), full = 0, reduced = 0;
	assert_int_equal(compare_together(1, count, false, &full, &reduced, &by_several, &passes), 0);
	assert_true(by_several > count / 7);
}

static void random_programs_by_ranks(void **state)
{
	u32 by_several, passes;
	u64 count = how_many(450), full = 0, reduced = 0;
	assert_int_equal(compare_together(1, count, true, &full, &reduced, &by_several, &passes), 0);
	assert_true(by_several > count / 20 && passes > count / 20);
	assert_true(reduced < full);
}

static void must_be_caught(bool *broken)
{
	u64 full, reduced;
	u32 different = 0;
	*broken = true;
	for (u64 first = 1; first < 600 && !different; first += 20)
		different = compare(first, 20, &full, &reduced);
	*broken = false;
	assert_true(different > 0);
}

static void wakes_must_be_declared(void **state)
{
	must_be_caught(&hides_wakes);
}

static void pending_must_be_told(void **state)
{
	must_be_caught(&hides_pending);
}

static void looks_at_what_is_closed_must_be_told(void **state)
{
	must_be_caught(&hides_closed);
}

static void who_does_not_wait_for_an_end_must_not_say_so(void **state)
{
	must_be_caught(&joins_too_much);
}

static void what_is_done_aside_must_be_told(void **state)
{
	must_be_caught(&hides_aside);
}

/* ---- programs with known numbers ---- */

static void check_states(const struct code *c, u64 full, u64 at_most)
{
	u64 want, got;
	assert_true(search(c, SEARCH_DFS, false, &want));
	assert_int_equal(stats.states, full);
	search(c, SEARCH_DFS, true, &got);
	assert_true(want == got);
	assert_in_range(stats.states, 1, at_most);
}

static void independent_threads(void **state)
{
	struct code c = {.threads = 4, .length = {6, 6, 6, 6}};
	for (int thread = 0; thread < 4; thread++)
		for (int i = 0; i < 6; i++)
			c.op[thread][i] = (struct instruction){OWN, 0, 0, 0};
	check_states(&c, 7 * 7 * 7 * 7, 4 * 6 + 1);
}

/* Opens a thing for each of three threads, which use and close it; then waits for all. */
static void a_server(void **state)
{
	struct code c = {.threads = 4, .length = {9, 4, 4, 4}, .dormant = {false, true, true, true}};
	for (int thread = 1; thread < 4; thread++) {
		c.op[0][2 * thread - 2] = (struct instruction){OPEN, 0, 0, 8};
		c.op[0][2 * thread - 1] = (struct instruction){CREATE, thread, 0, 0};
		c.op[0][5 + thread] = (struct instruction){JOIN, thread, 0, 0};
		for (int i = 0; i < 3; i++)
			c.op[thread][i] = (struct instruction){USE, 0, -1, 3};
		c.op[thread][3] = (struct instruction){CLOSE, 0, -1, 0};
	}
	check_states(&c, 404, 80);
}

/* Two threads that go round in circles on their own must not keep the third from its end. */
static void circles_ignore_nobody(void **state)
{
	struct code c = {.threads = 3, .length = {2, 2, 2}};
	for (int thread = 0; thread < 2; thread++) {
		c.op[thread][0] = (struct instruction){BRANCH, thread, 0, 0};
		c.op[thread][1] = (struct instruction){OWN, 0, 0, 0};
	}
	c.op[2][0] = (struct instruction){BRANCH, 2, 0, 1};
	c.op[2][1] = (struct instruction){OWN, 0, 0, 0};
	u64 want, got;
	assert_true(search(&c, SEARCH_DFS, false, &want));
	search(&c, SEARCH_DFS, true, &got);
	assert_true(want == got);
	search(&c, SEARCH_BFS, true, &got);
	assert_true(want == got);
}

/* If the first ends first, nobody is left beside whom the timer could expire: that shows in the end only. */
static void waits_of_ends_are_learnt(void **state)
{
	const struct code c = {.threads = 2, .length = {1, 1}, .op = {{{OWN, 0, 0, 0}}, {{ARM, 0, 0, 0}}}};
	struct search_options o = {.strategy = SEARCH_DFS, .max_states = 1000};
	u64 sum[2];
	code = &c;
	for (u32 i = 0; i < 2; i++) {
		o.reduce = i;
		forget_seen();
		assert_int_equal(run(NULL, NULL, &o), SEARCH_COMPLETE);
		sum[i] = seen_sum();
	}
	assert_true(sum[0] == sum[1]);
}

/* Two steps are found to depend on each other (by the eye, say): from then on, whatever details differ. */
static void pairs_depend_in_all_variants(void **state)
{
	const struct code c = {.threads = 2,
			       .counts = true,
			       .length = {1, 1},
			       .op = {{{BRANCH, 0, 0, 0}}, {{BRANCH, 1, 0, 0}}}};
	struct toy t;
	u32 actions[8];
	code = &c;
	forget_seen();
	toy_init(&t, &model);
	struct target_ops ops = *t.target.ops;
	ops.footprint = code_footprint;
	ops.reduction = &code_reduction;
	t.target.ops = &ops;
	struct reduction *r = reduction_new(&t.target);
	assert_non_null(r);
	reduction_begin_pass(r);
	for (int round = 0; round < MANY; round++) {
		u32 n = code_actions(&t, actions);
		assert_int_equal(n, 2);
		assert_int_equal(reduction_enter(r, actions, n), round ? 2 : 1);
		reduction_depend(r, 0, 1);
		u32 first = actions[round % 2];
		code_step(&t, first);
		reduction_learn(r, first, false);
		reduction_leave(r);
	}
	reduction_free(r);
	toy_free(&t);
}

/* ---- what one says, and another hears ---- */

static struct reduction *hearer;
static bool senseless;

static void hear_all(void *to, const u64 *word, u32 words)
{
	(void)to;
	senseless |= !reduction_makes_sense(hearer, word, words);
	reduction_hear(hearer, word, words);
}

static u32 many_fibers(void *self, u32 *out, u32 room)
{
	(void)self;
	(void)out;
	return room + 1;
}

/* Who can't learn any more tells the others: what they leave out may conflict with what is met there. */
static void a_failure_is_everybodys(void **state)
{
	const struct code c = {
		.threads = 2, .length = {1, 1}, .op = {{{BRANCH, 0, 0, 0}}, {{BRANCH, 1, 0, 0}}}};
	struct target_reduction full = code_reduction;
	struct toy t;
	u32 actions[8];
	code = &c;
	forget_seen();
	toy_init(&t, &model);
	struct target_ops ops = *t.target.ops, other;
	ops.footprint = code_footprint;
	ops.reduction = &code_reduction;
	full.fibers = many_fibers;
	other = ops;
	other.reduction = &full;
	t.target.ops = &ops;
	hearer = reduction_new(&t.target);
	t.target.ops = &other;
	struct reduction *fails = reduction_new(&t.target);
	assert_true(hearer && fails);
	senseless = false;
	reduction_share(fails, hear_all, NULL);
	reduction_begin_pass(hearer);
	assert_int_equal(reduction_enter(hearer, actions, code_actions(&t, actions)), 1);
	assert_false(reduction_was_wrong(hearer));
	reduction_meet(fails);
	assert_true(senseless); /* a script can't say so */
	assert_true(reduction_was_wrong(hearer));
	reduction_begin_pass(hearer);
	assert_int_equal(reduction_enter(hearer, actions, code_actions(&t, actions)), 2);
	reduction_free(hearer);
	reduction_free(fails);
	toy_free(&t);
}

/* Of a stranger: ranges of what has none would be gone through one by one. */
static void facts_of_strangers_are_looked_at(void **state)
{
	const u64 point[] = {0, 0, 5, 5}, hash = object_id(OBJECT_NAME, 7);
	u64 print[] = {2, 0, 5, hash, 1ull << 32 | ACCESS_WRITE};
	struct toy t;
	toy_init(&t, &model);
	struct target_ops ops = *t.target.ops;
	ops.footprint = code_footprint;
	ops.reduction = &code_reduction;
	t.target.ops = &ops;
	struct reduction *r = reduction_new(&t.target);
	assert_non_null(r);
	assert_false(reduction_makes_sense(r, print, 5)); /* of a point that nobody has told */
	assert_true(reduction_makes_sense(r, point, 4));
	reduction_hear(r, point, 4);
	assert_true(reduction_makes_sense(r, print, 5));
	print[4] |= 1ull << 63;
	assert_false(reduction_makes_sense(r, print, 5));
	print[3] = object_id(OBJECT_MEMORY, 4096);
	assert_true(reduction_makes_sense(r, print, 5));
	print[4] |= ACCESS_MODES;
	assert_false(reduction_makes_sense(r, print, 5));
	reduction_free(r);
	toy_free(&t);
}

static u64 stands_at, stands_with, told_points, told_key;

static u32 one_fiber(void *self, u32 *out, u32 room)
{
	(void)self;
	(void)room;
	out[0] = 0;
	return 1;
}

static u64 its_point(void *self, u32 fiber)
{
	(void)self;
	(void)fiber;
	return stands_at;
}

static u64 its_detail(void *self, u32 fiber)
{
	(void)self;
	(void)fiber;
	return stands_with;
}

static void hear_points(void *to, const u64 *word, u32 words)
{
	(void)to;
	if (words != 4 || word[0] || word[3] == told_key)
		return;
	told_points++;
	told_key = word[3];
}

/* Also if the bits in which the points differ are those in which the details do. */
static void points_with_details_are_told_apart(void **state)
{
	const struct code c = {.threads = 1, .length = {1}, .op = {{{OWN, 0, 0, 0}}}};
	struct target_reduction how = code_reduction;
	struct toy t;
	code = &c;
	toy_init(&t, &model);
	struct target_ops ops = *t.target.ops;
	how.fibers = one_fiber;
	how.point = its_point;
	how.detail = its_detail;
	ops.footprint = code_footprint;
	ops.reduction = &how;
	t.target.ops = &ops;
	struct reduction *r = reduction_new(&t.target);
	assert_non_null(r);
	reduction_share(r, hear_points, NULL);
	for (u64 bits = 1; bits < 64; bits++) {
		stands_at = 0x2dc6c1 ^ bits;
		stands_with = 1000 ^ bits;
		reduction_meet(r);
		assert_int_equal(told_points, bits);
	}
	reduction_free(r);
	toy_free(&t);
}

static enum step_result cannot_go_on(void *self, u32 action)
{
	(void)self;
	(void)action;
	return STEP_STOP;
}

/* The walks before the search come to an end of everything: the initial state was seen all the same. */
static void a_stop_before_the_search_is_a_result(void **state)
{
	const struct code c = {.threads = 1, .length = {1}, .op = {{{OWN, 0, 0, 0}}}};
	struct toy t;
	struct search_options o = {.strategy = SEARCH_DFS, .reduce = true, .walks = true};
	code = &c;
	toy_init(&t, &model);
	struct target_ops ops = *t.target.ops;
	ops.footprint = code_footprint;
	ops.reduction = &code_reduction;
	ops.step = cannot_go_on;
	t.target.ops = &ops;
	assert_int_equal(toy_search(&t, &o), SEARCH_STOPPED);
	assert_int_equal(t.stats.states, 1);
	toy_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_programs),
		cmocka_unit_test(random_programs_by_several),
		cmocka_unit_test(random_programs_by_ranks),
		cmocka_unit_test(wakes_must_be_declared),
		cmocka_unit_test(pending_must_be_told),
		cmocka_unit_test(looks_at_what_is_closed_must_be_told),
		cmocka_unit_test(who_does_not_wait_for_an_end_must_not_say_so),
		cmocka_unit_test(what_is_done_aside_must_be_told),
		cmocka_unit_test(independent_threads),
		cmocka_unit_test(a_server),
		cmocka_unit_test(circles_ignore_nobody),
		cmocka_unit_test(waits_of_ends_are_learnt),
		cmocka_unit_test(pairs_depend_in_all_variants),
		cmocka_unit_test(a_failure_is_everybodys),
		cmocka_unit_test(facts_of_strangers_are_looked_at),
		cmocka_unit_test(points_with_details_are_told_apart),
		cmocka_unit_test(a_stop_before_the_search_is_a_result),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
