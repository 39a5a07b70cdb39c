/*
 * models.h: toy models with counts known beforehand, for several tests.
 */
#ifndef HEDDLE_TEST_MODELS_H
#define HEDDLE_TEST_MODELS_H

#include "toy.h"

#define MODEL_ACTION(fiber, alt) ((u32)(fiber) << 16 | (u32)(alt))
#define MODEL_FIBER(action) ((action) >> 16)

/*
 * Independent counters: counter i goes from 0 to limit[i]. Product of all (limit[i] + 1) states.
 */
struct grid {
	u32 counters;
	int limit[8];
};

static inline u32 grid_actions(const struct toy *t, u32 *out)
{
	const struct grid *g = t->model->arg;
	u32 n = 0;
	for (u32 i = 0; i < g->counters; i++)
		if (t->var[i] < g->limit[i])
			out[n++] = MODEL_ACTION(i, 0);
	return n;
}

static inline enum step_result grid_step(struct toy *t, u32 action)
{
	u32 i = MODEL_FIBER(action);
	toy_set(t, i, t->var[i] + 1);
	return STEP_OK;
}

/* One variable more than counters: always 0 unless a fault changes it. */
static inline struct toy_model grid_model(const struct grid *g)
{
	return (struct toy_model){
		.vars = g->counters + 1, .actions = grid_actions, .step = grid_step, .arg = g};
}

/*
 * Dining philosophers as heddle steps through the C program. main (fiber 0): its first step creates all
 * threads, then it joins them in turn; after the last it ends. Thread i (fiber i + 1): START, lock one
 * fork, lock the other; eating, both unlocks and the end belong to the last step.
 */
struct philosophers {
	u32 n;
	bool ordered; /* the lower fork first; otherwise everybody takes the left one first, and may starve */
};

enum { PHIL_NONE, PHIL_START, PHIL_FIRST, PHIL_SECOND, PHIL_DONE };

/* Variables: 0 main's steps so far; 1…n the threads; n+1…2n the forks. */
static inline u32 phil_fork(const struct philosophers *p, u32 i, bool second)
{
	u32 left = i, right = (i + 1) % p->n;
	bool swap = p->ordered && left > right;
	return p->n + 1 + (swap != second ? right : left);
}

static inline bool phil_thread_enabled(const struct toy *t, u32 i)
{
	const struct philosophers *p = t->model->arg;
	switch (t->var[1 + i]) {
	case PHIL_START:
		return true;
	case PHIL_FIRST:
		return !t->var[phil_fork(p, i, false)];
	case PHIL_SECOND:
		return !t->var[phil_fork(p, i, true)];
	default:
		return false;
	}
}

static inline bool phil_main_enabled(const struct toy *t)
{
	const struct philosophers *p = t->model->arg;
	u32 steps = (u32)t->var[0];
	return !steps || (steps <= p->n && t->var[steps] == PHIL_DONE);
}

static inline u32 phil_actions(const struct toy *t, u32 *out)
{
	const struct philosophers *p = t->model->arg;
	u32 n = 0;
	if (phil_main_enabled(t))
		out[n++] = MODEL_ACTION(0, 0);
	for (u32 i = 0; i < p->n; i++)
		if (phil_thread_enabled(t, i))
			out[n++] = MODEL_ACTION(i + 1, 0);
	return n;
}

static inline enum step_result phil_main_step(struct toy *t)
{
	const struct philosophers *p = t->model->arg;
	for (u32 i = 0; !t->var[0] && i < p->n; i++)
		toy_set(t, 1 + i, PHIL_START);
	toy_set(t, 0, t->var[0] + 1);
	return STEP_OK;
}

static inline enum step_result phil_step(struct toy *t, u32 action)
{
	const struct philosophers *p = t->model->arg;
	if (!MODEL_FIBER(action))
		return phil_main_step(t);
	u32 i = MODEL_FIBER(action) - 1;
	if (t->var[1 + i] == PHIL_FIRST)
		toy_set(t, phil_fork(p, i, false), 1);
	if (t->var[1 + i] == PHIL_SECOND)
		toy_set(t, phil_fork(p, i, false), 0);
	toy_set(t, 1 + i, t->var[1 + i] + 1);
	return STEP_OK;
}

static inline enum terminal_kind phil_terminal(struct toy *t)
{
	const struct philosophers *p = t->model->arg;
	t->key = 1;
	return t->var[0] == (int)p->n + 1 ? TERMINAL_END : TERMINAL_VIOLATION;
}

static inline struct toy_model philosophers_model(const struct philosophers *p)
{
	return (struct toy_model){.vars = 1 + 2 * p->n,
				  .actions = phil_actions,
				  .step = phil_step,
				  .terminal = phil_terminal,
				  .arg = p};
}

#endif
