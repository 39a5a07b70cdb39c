/*
 * Shorter executions with the same violation.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "models.h"
#include "search/shrink.h"

#define STEPS_MAX 400

struct path {
	u32 action[STEPS_MAX];
	u64 len;
};

static void go(struct path *p, u32 fiber, u32 times)
{
	while (times--)
		p->action[p->len++] = MODEL_ACTION(fiber, 0);
}

static bool never(void *self)
{
	(void)self;
	return false;
}

static enum shrink_end shorten(const struct toy_model *m, struct shrink_task task, const struct path *from,
			       struct path *to, struct shrunk *out)
{
	struct toy t;
	toy_init(&t, m);
	task.path = from->action;
	task.len = from->len;
	task.stop = never;
	task.steps = task.steps ? task.steps : 1000000;
	enum shrink_end end = shrink(&t.target, &task, out);
	to->len = out->path.len / sizeof(u32);
	assert_true(to->len <= STEPS_MAX);
	if (to->len)
		memcpy(to->action, out->path.data, out->path.len);
	pages_vec_free(&out->path);
	toy_free(&t);
	return end;
}

/* Everybody starts, then everybody takes a fork: 9 steps are needed, half of the switches are not. */
static void switches_that_are_not_needed(void **state)
{
	(void)state;
	struct philosophers p = {4, false};
	struct toy_model m = philosophers_model(&p);
	struct path from = {.len = 0}, to;
	struct shrunk out;
	for (u32 i = 0; i < 9; i++)
		go(&from, i < 5 ? i : i - 4, 1);
	assert_int_equal(shorten(&m, (struct shrink_task){0}, &from, &to, &out), SHRINK_DONE);
	assert_int_equal(to.len, 9);
	assert_int_equal(out.switches, 4);
}

/* Three counters, of which one matters: fiber 3 fails once it is 2. */
static u32 noise_actions(const struct toy *t, u32 *out)
{
	u32 n = 0;
	for (u32 i = 0; i < 3; i++)
		if (t->var[i] < 100)
			out[n++] = MODEL_ACTION(i, 0);
	if (t->var[1] >= 2)
		out[n++] = MODEL_ACTION(3, 0);
	return n;
}

static enum step_result noise_step(struct toy *t, u32 action)
{
	u32 i = MODEL_FIBER(action);
	toy_set(t, i, t->var[i] + 1);
	t->key = 7 + (t->var[2] > 50); /* another violation, then */
	return i == 3 ? STEP_VIOLATION : STEP_OK;
}

static void make_noise(struct path *p)
{
	*p = (struct path){.len = 0};
	for (u32 i = 0; i < 40; i++)
		go(p, i % 3, 1 + i % 4);
	go(p, 3, 1);
}

static void steps_that_are_not_needed(void **state)
{
	(void)state;
	struct toy_model m = {.vars = 4, .actions = noise_actions, .step = noise_step};
	struct path from, to;
	struct shrunk out;
	make_noise(&from);
	assert_int_equal(shorten(&m, (struct shrink_task){0}, &from, &to, &out), SHRINK_DONE);
	assert_int_equal(to.len, 3);
	assert_int_equal(out.switches, 1);
	assert_int_equal(to.action[0], MODEL_ACTION(1, 0));
	assert_int_equal(to.action[2], MODEL_ACTION(3, 0));
}

/* The same kind and place: the shorter ways lead to another violation. */
static void the_violation_stays_the_same(void **state)
{
	(void)state;
	struct toy_model m = {.vars = 4, .actions = noise_actions, .step = noise_step};
	struct path from, to;
	struct shrunk out;
	make_noise(&from);
	from.len--;
	go(&from, 2, 30);
	go(&from, 3, 1);
	assert_int_equal(shorten(&m, (struct shrink_task){0}, &from, &to, &out), SHRINK_DONE);
	assert_int_equal(to.len, 2 + 51 + 1);
	assert_int_equal(out.switches, 2);
}

static void it_ends_when_it_is_enough(void **state)
{
	(void)state;
	struct toy_model m = {.vars = 4, .actions = noise_actions, .step = noise_step};
	struct path from, to;
	struct shrunk out;
	make_noise(&from);
	for (u64 steps = 1; steps < 3000; steps = steps * 3 / 2 + 1) {
		assert_int_equal(shorten(&m, (struct shrink_task){.steps = steps}, &from, &to, &out),
				 SHRINK_DONE);
		assert_in_range(to.len, 3, from.len);
		struct toy t; /* whatever was reached by then is right */
		toy_init(&t, &m);
		for (u64 i = 0; i + 1 < to.len; i++)
			assert_int_equal(noise_step(&t, to.action[i]), STEP_OK);
		assert_int_equal(noise_step(&t, to.action[to.len - 1]), STEP_VIOLATION);
		assert_int_equal(t.key, 7);
		toy_free(&t);
	}
}

/* A step that teaches: fiber 2 first. In `strict`, nothing is as before after that. */
static bool strict, learnt;

static u32 taught_actions(const struct toy *t, u32 *out)
{
	u32 n = noise_actions(t, out);
	return strict && learnt && out[n - 1] == MODEL_ACTION(3, 0) ? n - 1 : n;
}

static enum step_result teaching_step(struct toy *t, u32 action)
{
	if (MODEL_FIBER(action) == 2 && !t->var[0] && !learnt)
		return STEP_RESTART;
	return noise_step(t, action);
}

static void teach(struct toy *t)
{
	(void)t;
	learnt = true;
}

static void lessons(void **state)
{
	(void)state;
	struct toy_model m = {.vars = 4, .actions = taught_actions, .step = teaching_step, .restart = teach};
	for (u32 i = 0; i < 2; i++) {
		struct path from, to;
		struct shrunk out;
		u64 avoid[64];
		struct shrink_task task = {.avoid = avoid};
		make_noise(&from);
		enum shrink_end end;
		strict = i == 1;
		learnt = false;
		while ((end = shorten(&m, task, &from, &to, &out)) == SHRINK_LESSON) {
			assert_true(strict && task.avoids < 64 && out.lesson);
			avoid[task.avoids++] = out.lesson;
			from = to;      /* what was reached by then */
			learnt = false; /* a fresh target */
		}
		assert_int_equal(end, SHRINK_DONE);
		assert_int_equal(task.avoids > 0, strict);
		assert_int_equal(to.len, 3);
	}
}

/* Fiber 0 reads one byte or all that are left of 40; when it has them, fiber 1 fails. */
static u32 read_actions(const struct toy *t, u32 *out)
{
	u32 n = 0;
	if (t->var[0] < 40) {
		out[n++] = MODEL_ACTION(0, 0);
		out[n++] = MODEL_ACTION(0, 1);
	}
	out[n++] = MODEL_ACTION(1, 0);
	return n;
}

static enum step_result read_step(struct toy *t, u32 action)
{
	t->key = 1;
	if (MODEL_FIBER(action))
		return t->var[0] == 40 ? STEP_VIOLATION : STEP_PRUNED;
	toy_set(t, 0, action & 1 ? 40 : t->var[0] + 1);
	return STEP_OK;
}

static void other_outcomes(void **state)
{
	(void)state;
	struct toy_model m = {.vars = 1, .actions = read_actions, .step = read_step};
	struct path from = {.len = 0}, to;
	struct shrunk out;
	go(&from, 0, 40);
	go(&from, 1, 1);
	assert_int_equal(shorten(&m, (struct shrink_task){0}, &from, &to, &out), SHRINK_DONE);
	assert_int_equal(to.len, 2);
	assert_int_equal(to.action[0], MODEL_ACTION(0, 1));
}

/* Fiber 0 goes round in a loop; fiber 1 counts. */
static u32 loop_actions(const struct toy *t, u32 *out)
{
	out[0] = MODEL_ACTION(0, 0);
	out[1] = MODEL_ACTION(1, 0);
	return t->var[1] < 5 ? 2 : 1;
}

static enum step_result loop_step(struct toy *t, u32 action)
{
	if (MODEL_FIBER(action))
		toy_set(t, 1, t->var[1] + 1);
	else
		toy_set(t, 0, (t->var[0] + 1) % 3);
	return STEP_OK;
}

static void the_way_to_a_loop(void **state)
{
	(void)state;
	struct toy_model m = {.vars = 2, .actions = loop_actions, .step = loop_step};
	struct path from = {.len = 0}, to;
	struct shrunk out;
	for (u32 i = 0; i < 3; i++) {
		go(&from, 0, 4);
		go(&from, 1, 1);
	}
	go(&from, 0, 3);
	assert_int_equal(shorten(&m, (struct shrink_task){.is_loop = true}, &from, &to, &out), SHRINK_DONE);
	assert_int_equal(to.len, 6); /* fiber 1 three times, and once around */
	assert_int_equal(to.action[5], MODEL_ACTION(0, 0));
	from.len--; /* no loop */
	assert_int_equal(shorten(&m, (struct shrink_task){.is_loop = true}, &from, &to, &out), SHRINK_FAILED);
}

static void a_path_without_a_violation(void **state)
{
	(void)state;
	struct toy_model m = {.vars = 4, .actions = noise_actions, .step = noise_step};
	struct path from = {.len = 0}, to;
	struct shrunk out;
	go(&from, 1, 3);
	assert_int_equal(shorten(&m, (struct shrink_task){0}, &from, &to, &out), SHRINK_FAILED);
	go(&from, 7, 1); /* is never possible */
	assert_int_equal(shorten(&m, (struct shrink_task){0}, &from, &to, &out), SHRINK_FAILED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(switches_that_are_not_needed),
		cmocka_unit_test(steps_that_are_not_needed),
		cmocka_unit_test(the_violation_stays_the_same),
		cmocka_unit_test(it_ends_when_it_is_enough),
		cmocka_unit_test(lessons),
		cmocka_unit_test(other_outcomes),
		cmocka_unit_test(the_way_to_a_loop),
		cmocka_unit_test(a_path_without_a_violation),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
