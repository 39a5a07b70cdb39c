/*
 * search_priv.h: what the strategies share. A strategy decides where to go
 * next; search.c executes, matches, counts and tells.
 *
 * `path` holds the actions from the initial state to where the target stands, at every
 * call of a hook. search_step appends to it, the strategy shortens it when it goes back.
 */
#ifndef HEDDLE_SEARCH_SEARCH_PRIV_H
#define HEDDLE_SEARCH_SEARCH_PRIV_H

#include "base/pages.h"
#include "search/observer.h"
#include "search/search.h"
#include "state/bit_filter.h"
#include "state/visited.h"

struct search;

struct strategy {
	/* Explore from the initial state, where the target stands. MOVE_HALT or MOVE_RESTART. */
	enum move (*run)(struct search *s);
	/* Bytes the strategy itself holds. */
	u64 (*memory)(const struct search *s);
	/* Into the stats: how much is left to do. NULL: not known. */
	void (*survey)(const struct search *s);
	/* The smallest depth of each state is kept with it, MOVE_CLOSER may come. */
	bool wants_depths;
	/* It can leave out actions (reduction.h). */
	bool reduces;
	/* It ends by itself, when nothing is left to explore. */
	bool exhausts;
	/* Violations are looked for by walks, too, before it and in pauses (prelude.h). */
	bool walks;
	/* With several workers: give some of the work away, for somebody waits for it. NULL: it can't. */
	void (*give)(struct search *s);
	/* … or all that is left is written down, and kept: dfs_pack. NULL: such a search can't be saved. */
	u64 (*pack)(struct search *s, const void **unit);
};

struct search {
	const struct target_ops *ops;
	void *self; /* of the target */
	const struct search_options *o;
	const struct search_hooks *hooks;
	struct search_stats *stats;
	const struct strategy *strategy;
	void *mine; /* the strategy's own */

	struct visited visited;
	struct bit_filter filter; /* takes its place when memory runs short (search_shrink_table) */
	struct visited told;      /* keys of the violations told */
	struct pages_vec path;    /* u32 actions */
	struct pages_vec scratch; /* room for the actions of one state */
	target_mark root;         /* of the initial state; a strategy that loses its marks renews it */
	enum search_end end;

	u64 ticks;       /* steps executed, of any kind */
	u64 audit_steps; /* the same, for the audit alone (audit.h) */
	u64 started_ms;
	u64 sanity_mask; /* sanity looks when ticks & sanity_mask is 0 */

	struct observers observers;
	struct team_member *team; /* NULL: alone, or alone from now on */
	struct spread *spread;    /* NULL: no rank of many */
	bool keeps_steps;   /* another pass is begun without what was learnt of steps since (spread.c) */
	bool leaves_shared; /* of the state that is left, another worker has or had a part */
	bool save_due;      /* the search is to be saved: parallel_rest, as soon as it can be */
	bool at_rest;       /* … now: nothing is half done */

	struct reduction *reduction;        /* NULL: all enabled actions are explored */
	u64 pass_started_at, pass_wrong_at; /* in ticks; 0: it is not known to be wrong */
	bool another_pass;                  /* why MOVE_RESTART came */

	/* prelude.h */
	struct walks *walks; /* NULL: none yet */
	bool in_prelude, had_prelude, no_pauses;
	bool walk_told;          /* a walk told a violation since the last restart */
	bool walking;            /* the path is a walk's, not the strategy's */
	u64 pause_at, paused_at; /* in ticks: the next pause, the last one */

	/* Set by the strategy: the next step repeats one that was counted (see dfs.c). */
	bool repeating;
	/* Set by search_step on MOVE_CLOSER: the depth known before. */
	u32 farther;
	/* When a script is recorded (recorder.h): the number of the state that the last step led to. */
	u32 number;
	u64 pass_facts; /* how many were known when the pass began */
};

static inline u64 search_depth(const struct search *s)
{
	return s->path.len / sizeof(u32);
}

static inline const u32 *search_path(const struct search *s)
{
	return (const u32 *)s->path.data;
}

/* Does the bound on the depth forbid to extend the current state? */
static inline bool search_at_bound(const struct search *s)
{
	return s->o->max_depth && search_depth(s) >= s->o->max_depth;
}

/* Count the initial state. MOVE_NEW or MOVE_HALT. */
enum move search_begin(struct search *s);

/* Execute an action of the current state. */
enum move search_step(struct search *s, u32 action);

/* What a step that ended in this, anything but STEP_OK, means for the search. */
enum move search_step_ended(struct search *s, enum step_result r);

/* The last step, or the end that the target stands at, is a violation: it is told, once for each key.
   MOVE_DEAD or MOVE_HALT. */
enum move search_violation(struct search *s);

/* The current state was reached for the first time and has no actions. MOVE_DEAD or MOVE_HALT. */
enum move search_terminal(struct search *s);

/* The current state is part of a livelock. MOVE_DEAD or MOVE_HALT. */
enum move search_livelock(struct search *s, bool certain);

/* Tell the observers, if there are any (observer.h). MOVE_HALT, MOVE_RESTART, else MOVE_KNOWN. */
static inline enum move search_tell_enter(struct search *s, const u32 *actions, u32 n)
{
	return hd_unlikely(s->observers.count) ? observers_enter(s, actions, n) : MOVE_KNOWN;
}

static inline enum move search_tell_step(struct search *s, u32 action)
{
	return hd_unlikely(s->observers.count) ? observers_step(s, action) : MOVE_KNOWN;
}

static inline enum move search_tell_edge(struct search *s, u32 action, enum edge to)
{
	return hd_unlikely(s->observers.count) ? observers_edge(s, action, to) : MOVE_KNOWN;
}

static inline enum move search_tell_leave(struct search *s)
{
	return hd_unlikely(s->observers.count) ? observers_leave(s) : MOVE_KNOWN;
}

/* Back to an earlier state of the path. The strategy has shortened it. */
static inline void search_undo(struct search *s, target_mark to)
{
	s->ops->undo(s->self, to);
}

/* End the search. Always MOVE_HALT. */
enum move search_halt(struct search *s, enum search_end why);

/* Is it time to stop, or to start again? MOVE_HALT or MOVE_RESTART, else MOVE_KNOWN. */
enum move search_poll(struct search *s);
/* How often that is asked: when the ticks have none of these bits. Tests ask more often. */
extern u32 search_poll_mask;
/* See target_ops.stale. */
bool search_is_stale(const struct search *s);
/* All was explored; cut: as far as the bound on the depth allows. */
enum move search_complete(struct search *s, bool cut);

/*
 * With a reduction, now and then and at the end: MOVE_RESTART, if it has to be done again with what was
 * learnt; else MOVE_KNOWN.
 */
enum move search_check_pass(struct search *s, bool at_end);

/* Where the actions of one more state fit at the end of the vector; NULL when memory is out. */
u32 *search_action_room(struct pages_vec *actions);

extern const struct strategy strategy_dfs, strategy_bfs, strategy_random, strategy_pct, strategy_spread,
	strategy_follow;

#endif
