/*
 * search.h: explore a target. One strategy a file; all share the limits, the
 * statistics, the visited table and the way violations are told.
 *
 * Freestanding: memory comes from base/pages.h (anonymous mappings), so that the engine can
 * run inside the SUT's process.
 */
#ifndef HEDDLE_SEARCH_SEARCH_H
#define HEDDLE_SEARCH_SEARCH_H

#include "search/observer.h"
#include "search/spread.h"
#include "search/target.h"
#include "search/follow.h"
#include "search/tape.h"
#include "search/team.h"

struct search_hooks {
	void *self;
	/* A new distinct violation; path = actions from the initial state. The target still
	 * stands where it was found. After target_ops.restart all that was told before is void (its paths
	 * count in steps that no longer exist); what is still true is found and told again. */
	void (*violation)(void *self, const u32 *path, u64 len);
	/* Polled often and cheaply: true = stop. */
	bool (*stop)(void *self);
	u64 (*now_ms)(void *self);
	/* Sanity found a difference: a text for the tool error. */
	void (*insane)(void *self, const char *what, const u32 *path, u64 len);
	/* Who wants to follow the search (observer.h); each may be NULL. */
	const struct observer *observer[2];
	/* Where the search is recorded (recorder.h); NULL: nowhere. */
	const struct tape_sink *record;
	/* A script that the search follows (follow.h); NULL: it finds its own way. */
	struct follow *follow;
	/* One of several workers, which has joined the others (team.h, parallel.h); NULL: alone. */
	struct team_member *team;
	/*
	 * Of a search with a team that can be saved: is that wanted now? All workers stand still: each is
	 * told, then the first one has it done (whole: it can be). What a saved search had found is void: it
	 * was started again. NULL: it can't be saved.
	 */
	bool (*wants_save)(void *self);
	void (*saving)(void *self);
	void (*save)(void *self, bool whole);
	void (*forget_former)(void *self);
	/* One rank of many, for SEARCH_SPREAD (spread.h). */
	struct spread_port *port;
};

/* The actions that lead to the current state of the search under way (*len 0: none); for messages. */
const u32 *search_current_path(u64 *len);
/* Are they those of a walk before or beside the search (prelude.h)? For how a violation was found. */
bool search_is_walking(void);

enum search_end search_run(struct target *t, const struct search_options *o, const struct search_hooks *h,
			   struct search_stats *stats);

#endif
