/*
 * The audit of footprints on toy targets: declarations that are right pass, each that is left out is
 * found, in the way it should be; races of the "program" itself are counted and no error.
 *
 * A fiber executes a list of micro-operations on shared variables. A step is one that is marked as the
 * begin of a step, and all that follow up to the next such one: those are merged.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "models.h"
#include "search/audit.h"

#define SHARED 4
#define FIBERS 3
#define OPS 6
/* Variables: the shared ones, then for each fiber its place in the list, and what it read last. */
#define PLACE(f) (SHARED + (f))
#define REGISTER(f) (SHARED + FIBERS + (f))
#define VARS (SHARED + 2 * FIBERS)

enum what { NOTHING, READ, WRITE, ADD, CLEAR, AWAIT /* until it is not 0 */ };

struct micro {
	enum what what;
	u32 var;
	bool merged;
	bool omitted; /* its declaration is left out */
	bool plain;   /* a plain access of the program's: nobody declares it */
};

#define STEP(w, v) \
	{ \
		.what = w, .var = v \
	}
#define MERGED(w, v) \
	{ \
		.what = w, .var = v, .merged = true \
	}
#define PLAIN(w, v) \
	{ \
		.what = w, .var = v, .merged = true, .plain = true \
	}

struct code {
	struct micro op[FIBERS][OPS];
};

/* Of the step executed last. */
static struct footprint print;
static u64 changed; /* variables */
static u64 plain_read, plain_written;
static u32 merged, split_at;

static const struct micro *op_at(const struct toy *t, u32 f)
{
	const struct code *c = t->model->arg;
	int place = t->var[PLACE(f)];
	static const struct micro nothing = {.what = NOTHING};
	return place < OPS ? &c->op[f][place] : &nothing;
}

static u32 code_actions(const struct toy *t, u32 *out)
{
	u32 n = 0;
	for (u32 f = 0; f < FIBERS; f++) {
		const struct micro *o = op_at(t, f);
		if (o->what != NOTHING && (o->what != AWAIT || t->var[o->var]))
			out[n++] = MODEL_ACTION(f, 0);
	}
	return n;
}

static void set(struct toy *t, u32 var, int value)
{
	changed |= (u64)(t->var[var] != value) << var;
	toy_set(t, var, value);
}

static void declare(const struct micro *o)
{
	static const enum access_mode mode[] = {[READ] = ACCESS_READ,
						[WRITE] = ACCESS_WRITE,
						[ADD] = ACCESS_ADD,
						[CLEAR] = ACCESS_WRITE,
						[AWAIT] = ACCESS_READ};
	if (!o->omitted && !o->plain)
		footprint_add(&print, o->var, 1, mode[o->what]);
}

static void execute(struct toy *t, u32 f, const struct micro *o)
{
	declare(o);
	if (o->what == READ)
		set(t, REGISTER(f), t->var[o->var] + 1);
	else if (o->what == WRITE)
		set(t, o->var, (int)f + 1);
	else if (o->what == ADD)
		set(t, o->var, t->var[o->var] + 1);
	else if (o->what == CLEAR)
		set(t, o->var, 0);
	if (o->plain && o->what == READ)
		plain_read |= 1u << o->var;
	else if (o->plain)
		plain_written |= 1u << o->var;
	set(t, PLACE(f), t->var[PLACE(f)] + 1);
}

static enum step_result code_step(struct toy *t, u32 action)
{
	u32 f = MODEL_FIBER(action);
	footprint_clear(&print);
	changed = plain_read = plain_written = 0;
	merged = 0;
	do {
		execute(t, f, op_at(t, f));
		const struct micro *next = op_at(t, f);
		if (next->what == NOTHING || !next->merged || ++merged == split_at)
			break;
	} while (true);
	return STEP_OK;
}

static const struct footprint *code_footprint(void *self)
{
	(void)self;
	return &print;
}

static bool code_undeclared(void *self, u32 action, char *why, size_t cap)
{
	(void)self;
	(void)action;
	for (u32 v = 0; v < SHARED; v++)
		if (changed >> v & 1 && !(plain_written >> v & 1) && !footprint_writes(&print, v)) {
			snprintf(why, cap, "variable %u", v);
			return true;
		}
	return false;
}

static void code_describe(void *self, u32 action, char *buf, size_t cap)
{
	(void)self;
	snprintf(buf, cap, "fiber %u", MODEL_FIBER(action));
}

static int kept[VARS];

static void code_remember(void *self)
{
	memcpy(kept, ((struct toy *)self)->var, sizeof(kept));
}

static bool code_difference(void *self, char *buf, size_t cap)
{
	const struct toy *t = self;
	for (u32 v = 0; v < VARS; v++)
		if (t->var[v] != kept[v]) {
			snprintf(buf, cap, "variable %u was %d and is %d", v, kept[v], t->var[v]);
			return true;
		}
	return false;
}

static u64 code_race(void *self, u32 a, u32 b)
{
	struct toy *t = self;
	target_mark here = t->target.ops->mark(t);
	code_step(t, a);
	u64 read = plain_read, written = plain_written;
	t->target.ops->undo(t, here);
	code_step(t, b);
	u64 both = (written & (plain_read | plain_written)) | (read & plain_written);
	t->target.ops->undo(t, here);
	return both ? 0x1000u + (u64)__builtin_ctzll(both) : 0;
}

static u32 code_merged(void *self)
{
	(void)self;
	return merged;
}

static void code_split(void *self, u32 k)
{
	(void)self;
	split_at = k;
}

static u32 code_rest(void *self, u32 action)
{
	(void)self;
	return action;
}

static const struct target_audit audit_ops = {
	.undeclared = code_undeclared,
	.describe = code_describe,
	.remember = code_remember,
	.difference = code_difference,
	.race = code_race,
	.merged = code_merged,
	.split = code_split,
	.rest = code_rest,
};

static struct toy check(const struct code *c, enum search_strategy strategy, u32 sanity)
{
	struct toy_model m = {.vars = VARS, .actions = code_actions, .step = code_step, .arg = c};
	struct search_options o = {.strategy = strategy, .sanity = sanity, .max_runs = 50};
	struct toy t;
	toy_init(&t, &m);
	struct target_ops ops = *t.target.ops;
	ops.footprint = code_footprint;
	ops.audit = &audit_ops;
	t.target.ops = &ops;
	split_at = 0;
	enum search_end end = toy_search(&t, &o);
	assert_int_equal(end == SEARCH_TOOL_ERROR, t.insane == 1);
	toy_free(&t);
	return t;
}

static const enum search_strategy all[] = {SEARCH_DFS, SEARCH_BFS, SEARCH_RANDOM, SEARCH_PCT};

static void passes(const struct code *c)
{
	for (size_t i = 0; i < HD_ARRAY_LEN(all); i++)
		for (u32 sanity = 2; sanity <= 3; sanity++) {
			struct toy t = check(c, all[i], sanity);
			assert_int_equal(t.insane, 0);
			assert_int_equal(t.stats.unsynchronised, 0);
			assert_true(t.stats.audits > 0);
		}
	assert_int_equal(check(c, SEARCH_DFS, 1).stats.audits, 0);
}

static void is_found(const struct code *c, const char *how)
{
	for (size_t i = 0; i < HD_ARRAY_LEN(all); i++) {
		struct toy t = check(c, all[i], 2);
		assert_int_equal(t.insane, 1);
		if (!strstr(t.insanity_text, how))
			fail_msg("%s", t.insanity_text);
		assert_int_equal(check(c, all[i], 1).insane, 0);
	}
}

/* Conflicts that are declared, and uses that are merged because nobody can tell. */
static const struct code right = {{
	{STEP(READ, 0), MERGED(WRITE, 1), STEP(ADD, 2), MERGED(ADD, 3)},
	{STEP(WRITE, 0), STEP(ADD, 2), MERGED(ADD, 3)},
	{STEP(WRITE, 0), STEP(READ, 0), MERGED(ADD, 3)},
}};

static void right_declarations_pass(void **state)
{
	(void)state;
	passes(&right);
}

static void a_change_that_was_not_declared(void **state)
{
	(void)state;
	struct code c = right;
	c.op[1][1].omitted = true;
	is_found(&c, "changed something that it had not declared: variable 2");
	c = right;
	c.op[0][1].omitted = true; /* merged, and nobody else uses it */
	is_found(&c, "changed something that it had not declared: variable 1");
}

static void a_look_that_was_not_declared(void **state)
{
	(void)state;
	struct code c = right;
	c.op[0][0].omitted = true;
	is_found(&c, "the two orders lead to different states: variable");
	c = right;
	c.op[2][1].omitted = true;
	is_found(&c, "declared independent (\"fiber ");
}

/* Variable 1 is set by the same step that reads variable 0 afterwards: only then fiber 1 may write that. */
static const struct code behind = {{
	{STEP(WRITE, 1), MERGED(READ, 0)},
	{STEP(AWAIT, 1), MERGED(WRITE, 0)},
	{STEP(ADD, 2), STEP(ADD, 2)},
}};

static void a_merged_look_that_was_not_declared(void **state)
{
	(void)state;
	passes(&behind); /* declared, it would be for the lessons to see that it must not be merged */
	struct code c = behind;
	c.op[0][1].omitted = true;
	is_found(
		&c,
		"a use was merged into a step (\"fiber 0\", use 1: \"fiber 0\") that another can tell apart");
}

/* Fiber 1 can go on as long as variable 0 is set. */
static const struct code gate = {{
	{STEP(WRITE, 0), STEP(READ, 1)},
	{STEP(AWAIT, 0), STEP(READ, 1)},
	{STEP(READ, 1), STEP(CLEAR, 0)},
}};

static void an_action_that_another_disables(void **state)
{
	(void)state;
	passes(&gate);
	struct code c = gate;
	c.op[1][0].omitted = true;
	is_found(&c, "after the one, the other is no longer possible");
}

static void races_of_the_program_are_counted(void **state)
{
	(void)state;
	struct code c = {{
		{STEP(READ, 0), PLAIN(WRITE, 3)},
		{STEP(READ, 0), PLAIN(READ, 3)},
		{STEP(READ, 1)},
	}};
	for (size_t i = 0; i < HD_ARRAY_LEN(all); i++) {
		struct toy t = check(&c, all[i], 2);
		assert_int_equal(t.insane, 0);
		assert_true(t.stats.unsynchronised > 0);
		assert_int_equal(t.stats.unsynchronised_at[0].address, 0x1003);
		assert_int_equal(t.stats.unsynchronised_at[0].action[0], MODEL_ACTION(0, 0));
		assert_int_equal(t.stats.unsynchronised_at[0].action[1], MODEL_ACTION(1, 0));
		assert_int_equal(t.stats.unsynchronised_at[1].address, 0);
	}
}

/* The counts of a search are the same with and without the audit. */
static void the_search_is_not_disturbed(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct toy plain = check(&right, all[i], 0), audited = check(&right, all[i], 3);
		assert_int_equal(plain.stats.states, audited.stats.states);
		assert_int_equal(plain.stats.transitions, audited.stats.transitions);
		assert_int_equal(plain.stats.revisited, audited.stats.revisited);
		assert_int_equal(plain.stats.max_depth, audited.stats.max_depth);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(right_declarations_pass),
		cmocka_unit_test(a_change_that_was_not_declared),
		cmocka_unit_test(a_look_that_was_not_declared),
		cmocka_unit_test(a_merged_look_that_was_not_declared),
		cmocka_unit_test(an_action_that_another_disables),
		cmocka_unit_test(races_of_the_program_are_counted),
		cmocka_unit_test(the_search_is_not_disturbed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
