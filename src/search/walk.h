/*
 * walk.h: many runs from the initial state to the end, one action chosen at each
 * state. What random and pct have in common; they differ in the choice.
 */
#ifndef HEDDLE_SEARCH_WALK_H
#define HEDDLE_SEARCH_WALK_H

#include "search/search_priv.h"

/* A run is cut at max_depth steps, or at this many. */
#define WALK_MAX_STEPS 1000000
/* With no limit at all, this many runs. */
#define WALK_DEFAULT_RUNS 1000

struct walk_runs {
	struct search *s;
	u64 random; /* state of the generator */
	u64 run;    /* from 1 */

	/* Each of these but score may be NULL. In end_run the path is still there. */
	void (*begin_run)(struct walk_runs *w);
	void (*end_run)(struct walk_runs *w);
	/* The fiber with the greatest score among those enabled makes the next step. */
	u64 (*score)(struct walk_runs *w, u32 fiber);
	/* About to choose among n actions, n > 0. */
	void (*before_step)(struct walk_runs *w, const u32 *actions, u32 n);
	/* `fiber` has made a step. */
	void (*after_step)(struct walk_runs *w, u32 fiber);
	size_t size; /* of the whole, in bytes, for walk_free */
};

/* The next number of the generator. */
u64 walk_random(struct walk_runs *w);
/* One of 0 … n-1. */
u64 walk_below(struct walk_runs *w, u64 n);
/* A number scattered by another: the same for the same pair. */
u64 walk_scatter(u64 a, u64 b);
/* An action of the fiber with the greatest score; any of its actions with the same chance. */
u32 walk_choose(struct walk_runs *w, const u32 *actions, u32 n);

enum move walk_run_all(struct walk_runs *w);

/* The two kinds. NULL: no memory. depth: pct's, 0: the default. */
struct walk_runs *walk_random_new(struct search *s);
struct walk_runs *walk_pct_new(struct search *s, u32 depth);
void walk_free(struct walk_runs *w);

#endif
