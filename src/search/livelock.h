/*
 * livelock.h: finds loops that nothing leads out of: strongly connected components of the state graph with
 * a cycle, without an edge to the outside, whose steps are all busy waiting (target.h: busy), or that and the
 * taking of locks (looks; the target decides on those). Tarjan's algorithm, run along with the depth-first
 * search as an observer of it (observer.h); memory only for states whose component is not complete yet.
 */
#ifndef HEDDLE_SEARCH_LIVELOCK_H
#define HEDDLE_SEARCH_LIVELOCK_H

#include "base/pages.h"
#include "search/fingerprint_map.h"
#include "search/target.h"
#include "wire/search_options.h"

struct livelock {
	struct pages_vec
		open; /* struct fingerprint: states of incomplete components, in order of discovery */
	struct pages_vec frames; /* beside the search's own */
	struct pages_vec rounds; /* struct livelock_round: ways from a state on the stack back to itself */
	struct pages_vec words;  /* u32: their actions */
	struct fingerprint_map positions; /* in open, + 1 */
	u64 base;                         /* length of the path to the first of frames */
	bool failed;                      /* out of memory: says nothing any more */
	struct target_loop step;          /* the one under way, as a loop */
	struct target_loop loop;          /* the one that was told last */
};

bool livelock_begin(struct livelock *l);
void livelock_end(struct livelock *l);

/* A new state is extended; step: the one that led to it. */
void livelock_enter(struct livelock *l, struct fingerprint fp, struct target_loop step);
/* A step of the topmost state leads to a known state; path: actions up to and including that step. */
void livelock_known(struct livelock *l, struct fingerprint fp, struct target_loop step, const u32 *path,
		    u64 len);
/* A step of the topmost state leads to an end, a violation, or beyond a bound. */
void livelock_out(struct livelock *l);
/*
 * The topmost state is done. True: its component is a loop that nothing leads out of, of steps that wait or
 * look (l->loop tells), and the state is its first one. *round: actions that lead from it once around the
 * loop; len 0: not known.
 */
bool livelock_leave(struct livelock *l, const u32 **round, u64 *len);

#endif
