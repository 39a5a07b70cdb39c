#include "search/prelude.h"

#include "search/eye.h"
#include "search/reduction.h"
#include "search/walk.h"

#define RUNS 100u
#define STEPS 20000u    /* of all runs together */
#define RUN_STEPS 5000u /* of one */

/* After so many runs that taught nothing, no more are made. */
#define VAIN_RUNS 12u

static enum move execute(struct search *s, u32 action)
{
	u32 *at = pages_vec_push(&s->path, sizeof(*at));
	if (!at)
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	*at = action;
	enum step_result r = s->ops->step(s->self, action);
	if (r != STEP_OK && r != STEP_VIOLATION && r != STEP_PRUNED)
		return search_step_ended(s, r);
	reduction_learn(s->reduction, action, r != STEP_OK);
	s->had_prelude |= r == STEP_VIOLATION; /* it is for the search to find that */
	return r == STEP_OK ? MOVE_KNOWN : MOVE_DEAD;
}

/* MOVE_DEAD: the run is over. */
static enum move one_step(struct search *s, struct walk_runs *w, void *eye)
{
	u32 *actions = search_action_room(&s->scratch);
	if (!actions)
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	u32 n = s->ops->actions(s->self, actions);
	if (!n)
		return MOVE_DEAD;
	enum move m = eye ? observer_eye.enter(eye, s, actions, n) : MOVE_KNOWN;
	if (m != MOVE_KNOWN)
		return m;
	if (!(++s->ticks % 64) && (m = search_poll(s)) >= MOVE_HALT)
		return m;
	reduction_enter(s->reduction, actions, n);
	m = execute(s, actions[walk_below(w, n)]);
	reduction_leave(s->reduction);
	return m;
}

static enum move walks(struct search *s, void *eye)
{
	struct walk_runs w = {.s = s, .random = walk_scatter(s->o->seed, 1)};
	u64 last = s->ticks + STEPS;
	enum move m = MOVE_KNOWN;
	for (u32 run = 0, vain = 0;
	     run < RUNS && vain < VAIN_RUNS && s->ticks < last && m < MOVE_HALT && !s->had_prelude; run++) {
		u64 end = HD_MIN(s->ticks + RUN_STEPS, last);
		u64 known = reduction_facts(s->reduction) + s->stats->glances;
		for (m = MOVE_KNOWN; m == MOVE_KNOWN && s->ticks < end;)
			m = one_step(s, &w, eye);
		if (m == MOVE_HALT)
			return m; /* the target is left where it is, for a report */
		s->path.len = 0;
		search_undo(s, s->root);
		vain = reduction_facts(s->reduction) + s->stats->glances == known ? vain + 1 : 0;
	}
	return m >= MOVE_HALT ? m : MOVE_KNOWN;
}

enum move prelude_run(struct search *s)
{
	if (!s->reduction || s->had_prelude || s->o->no_prelude)
		return MOVE_KNOWN;
	void *eye = observer_eye.begin(s);
	s->in_prelude = true;
	enum move m = walks(s, eye);
	s->in_prelude = false;
	if (eye)
		observer_eye.end(eye, s);
	s->had_prelude = m == MOVE_KNOWN;
	if (m == MOVE_HALT)
		s->stats->states = 1; /* the initial one, at least */
	if (m == MOVE_KNOWN)
		s->ops->restart(s->self);
	s->ticks = 0;
	return m;
}
