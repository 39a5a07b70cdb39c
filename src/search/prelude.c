#include "search/prelude.h"

#include "search/eye.h"
#include "search/reduction.h"
#include "search/sanity.h"
#include "search/walk.h"

/* Of the prelude; of one run, anywhere, but at least a quarter of what the pause has. */
#define RUNS 100u
#define STEPS 4000u
#define RUN_STEPS 5000u
/* A step that changes more words counts as several. */
#define STEP_WORDS 1024u
/* After so many runs that taught nothing, no more are made: with a reduction, and without. */
#define VAIN_RUNS 10u
#define VAIN_RUNS_FULL 4u

struct walks {
	struct walk_runs *kind[2];
	u64 runs;            /* of both kinds */
	u64 left;            /* steps, of this prelude or pause */
	void *eye;           /* of the prelude; NULL: it is not wanted */
	struct visited seen; /* of the prelude */
	bool chose;          /* somewhere there was a choice */
	bool blocked;        /* a violation was met that is for the search to find */
};

static struct walks *walks_of(struct search *s)
{
	if (s->walks)
		return s->walks;
	struct walks *w = pages_map(sizeof(*w));
	u32 rank = s->spread ? spread_rank(s->spread) : 0;
	if (!w)
		return NULL;
	s->walks = w;
	w->kind[0] = walk_random_new(s);
	w->kind[1] = walk_pct_new(s, 0);
	for (u32 i = 0; i < HD_ARRAY_LEN(w->kind) && w->kind[i]; i++)
		w->kind[i]->random = walk_scatter(s->o->seed, 1 + i + 2 * rank); /* no two walk alike */
	return w;
}

void prelude_free(struct search *s)
{
	if (!s->walks)
		return;
	walk_free(s->walks->kind[0]);
	walk_free(s->walks->kind[1]);
	pages_unmap(s->walks, sizeof(*s->walks));
	s->walks = NULL;
}

/* A violation was met: MOVE_DEAD or MOVE_HALT. */
static enum move met_violation(struct search *s, enum move (*tell)(struct search *s))
{
	if (s->strategy->walks)
		return tell(s);
	s->walks->blocked = true;
	return MOVE_DEAD;
}

static enum move tell_step(struct search *s)
{
	return search_step_ended(s, STEP_VIOLATION);
}

static enum move execute(struct search *s, u32 action)
{
	u32 *at = pages_vec_push(&s->path, sizeof(*at));
	if (!at)
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	*at = action;
	enum step_result r = s->ops->step(s->self, action);
	if (s->reduction && (r == STEP_OK || r == STEP_VIOLATION || r == STEP_PRUNED))
		reduction_learn(s->reduction, action, r != STEP_OK);
	if (r == STEP_VIOLATION)
		return met_violation(s, tell_step);
	return r == STEP_OK ? MOVE_KNOWN : search_step_ended(s, r);
}

static enum move end_of_run(struct search *s)
{
	bool bad = s->strategy->walks && s->ops->terminal(s->self) == TERMINAL_VIOLATION;
	return bad ? search_violation(s) : MOVE_DEAD;
}

static u64 work_of(const struct search *s)
{
	return s->ops->work ? s->ops->work(s->self) : 0;
}

/* MOVE_DEAD: the run is over. */
static enum move one_step(struct search *s, struct walk_runs *w)
{
	struct walks *all = s->walks;
	u32 *actions = search_action_room(&s->scratch);
	if (!actions)
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	u32 n = s->ops->actions(s->self, actions);
	if (!n)
		return end_of_run(s);
	if (search_at_bound(s))
		return MOVE_DEAD;
	all->chose |= n > 1;
	enum move m = all->eye ? observer_eye.enter(all->eye, s, actions, n) : MOVE_KNOWN;
	if (m != MOVE_KNOWN)
		return m;
	if (!(++s->stats->walk_steps % 64) && (m = search_poll(s)) >= MOVE_HALT)
		return m;
	u64 work = work_of(s);
	if (s->reduction)
		reduction_meet(s->reduction);
	if (w->before_step)
		w->before_step(w, actions, n);
	u32 action = walk_choose(w, actions, n), fiber = s->ops->action_fiber(s->self, action);
	m = execute(s, action);
	all->left -= HD_MIN(all->left, 1 + (work_of(s) - work) / STEP_WORDS);
	if (s->reduction)
		reduction_leave(s->reduction);
	if (w->after_step && m == MOVE_KNOWN)
		w->after_step(w, fiber);
	return m;
}

/*
 * From the initial state and back to it; but after MOVE_HALT the target is left where it is, for a report.
 * *ended: it came to an end of the program.
 */
static enum move one_run(struct search *s, u64 most, bool *ended)
{
	struct walks *all = s->walks;
	struct walk_runs *w = all->kind[all->runs++ % HD_ARRAY_LEN(all->kind)];
	u64 stop = all->left > most ? all->left - most : 0;
	w->run++;
	if (w->begin_run)
		w->begin_run(w);
	enum move m = MOVE_KNOWN;
	while (m == MOVE_KNOWN && all->left > stop) {
		m = one_step(s, w);
		if (s->in_prelude && m == MOVE_KNOWN &&
		    visited_insert(&all->seen, s->ops->fingerprint(s->self)) < 0)
			m = search_halt(s, SEARCH_LIMIT_MEMORY);
	}
	*ended = m == MOVE_DEAD;
	if (w->end_run)
		w->end_run(w);
	if (m == MOVE_HALT)
		return m;
	s->stats->walks += m != MOVE_RESTART;
	s->path.len = 0;
	search_undo(s, s->root);
	return m == MOVE_RESTART ? m : MOVE_KNOWN;
}

/* Not the states: in a large program nearly all of them are new, and teach nothing. */
static u64 known(const struct search *s)
{
	return s->reduction ? reduction_facts(s->reduction) + s->stats->glances : s->walks->seen.count;
}

static enum move before(struct search *s)
{
	struct walks *all = s->walks;
	u32 enough = s->reduction ? VAIN_RUNS : VAIN_RUNS_FULL;
	enum move m = MOVE_KNOWN;
	all->left = s->o->max_states ? HD_MIN(s->o->max_states, (u64)STEPS) : STEPS;
	for (u32 run = 0, vain = 0;
	     run < RUNS && vain < enough && all->left && m == MOVE_KNOWN && !all->blocked; run++) {
		u64 knew = known(s);
		bool ended;
		m = one_run(s, RUN_STEPS, &ended);
		vain = known(s) == knew ? vain + 1 : 0;
		if (ended && !all->chose)
			break; /* this is all there is to see */
	}
	return m;
}

static bool wants_walks(const struct search *s)
{
	return s->o->walks && !s->o->no_matching && (s->reduction || s->strategy->walks);
}

enum move prelude_run(struct search *s)
{
	if (!wants_walks(s) || s->had_prelude)
		return MOVE_KNOWN;
	struct walks *all = walks_of(s);
	if (!all || !all->kind[0] || !all->kind[1])
		return search_halt(s, SEARCH_LIMIT_MEMORY);
	all->eye = s->reduction ? observer_eye.begin(s) : NULL;
	s->in_prelude = s->walking = s->repeating = true; /* nothing is counted */
	enum move m = before(s);
	s->in_prelude = s->walking = s->repeating = false;
	/* What was learnt in passing makes other steps: those are walked, too, and looked at by the eye. */
	if (m == MOVE_KNOWN && search_is_stale(s))
		m = MOVE_RESTART;
	if (all->eye)
		observer_eye.end(all->eye, s);
	all->eye = NULL;
	s->had_prelude = m == MOVE_KNOWN;
	s->pause_at = s->strategy->walks && !s->no_pauses ? PAUSE_FIRST : ~0ull;
	s->paused_at = 0;
	if (m == MOVE_HALT) {
		/* The initial one, at least. */
		s->stats->states = all->seen.count + 1;
		s->stats->transitions = s->stats->walk_steps;
		s->stats->max_depth = search_depth(s);
	}
	visited_reset(&all->seen);
	/* What was told is not void: the search may be long in coming to it, or come to an end before. */
	if (m == MOVE_KNOWN && !s->told.count)
		s->ops->restart(s->self);
	s->ticks = 0;
	return m;
}

static enum move pause(struct search *s)
{
	struct walks *all = s->walks;
	u64 budget = (s->ticks - s->paused_at) / PAUSE_SHARE, most = HD_MAX(budget / 4, (u64)RUN_STEPS);
	enum move m = MOVE_KNOWN;
	bool ended;
	search_undo(s, s->root);
	for (all->left = budget; all->left && m == MOVE_KNOWN;)
		m = one_run(s, most, &ended);
	return m == MOVE_KNOWN && search_is_stale(s) ? MOVE_RESTART : m;
}

enum move interlude_at_root(struct search *s)
{
	if (!wants_walks(s) || !s->walks) {
		s->pause_at = ~0ull;
		return MOVE_KNOWN;
	}
	if (search_is_stale(s))
		return MOVE_KNOWN;
	s->walking = s->repeating = true;
	enum move m = pause(s);
	s->walking = s->repeating = false;
	s->paused_at = s->ticks;
	s->pause_at = s->ticks * 4;
	return m;
}

enum move interlude_run(struct search *s, target_mark *marks)
{
	if (!wants_walks(s) || !s->walks) {
		s->pause_at = ~0ull;
		return MOVE_KNOWN;
	}
	if (search_is_stale(s))
		return MOVE_KNOWN; /* it will soon start again, and what walks find would not count */
	struct fingerprint here = s->ops->fingerprint(s->self);
	struct pages_vec path = s->path;
	u64 depth = s->stats->depth;
	bool repeating = s->repeating;
	s->path = (struct pages_vec){0};
	s->walking = s->repeating = true; /* nothing is counted */
	enum move m = pause(s);
	if (m == MOVE_HALT) {
		pages_vec_free(&path);
		return m;
	}
	pages_vec_free(&s->path);
	s->path = path;
	s->walking = false;
	s->repeating = repeating;
	s->stats->depth = depth;
	s->paused_at = s->ticks;
	s->pause_at = s->ticks * 4;
	const char *differs = NULL;
	if (m == MOVE_KNOWN)
		m = search_follow_path(s, here, marks, &differs);
	if (m != MOVE_DEAD)
		return m;
	if (s->o->sanity)
		return sanity_differs(s, differs);
	s->pause_at =
		~0ull; /* a target that can't be brought back here: from the beginning, without pauses */
	s->no_pauses = true;
	return MOVE_RESTART;
}
