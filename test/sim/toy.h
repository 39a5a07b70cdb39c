/*
 * toy.h: targets for the search, made of a few integers. A model says which
 * actions there are and what they do to the integers; the kit does the rest as the real engine does: an
 * undo log of words, an incremental fingerprint, deltas. It can also do it wrong, on demand.
 */
#ifndef HEDDLE_TEST_TOY_H
#define HEDDLE_TEST_TOY_H

#include "search/search.h"

#define TOY_MAX_VARS 64
#define TOY_MAX_VIOLATIONS 256

struct toy;

struct toy_model {
	u32 vars;
	u32 (*actions)(const struct toy *t, u32 *out);
	/* Changes the state with toy_set alone. */
	enum step_result (*step)(struct toy *t, u32 action);
	/* Default: TERMINAL_END. */
	enum terminal_kind (*terminal)(struct toy *t);
	void (*restart)(struct toy *t);
	/* Default: never. */
	bool (*stale)(const struct toy *t);
	/* Default: action >> 16. */
	u32 (*action_fiber)(const struct toy *t, u32 action);
	const void *arg;
};

/* Ways to be broken, for the sanity tests. */
enum toy_fault {
	TOY_SOUND,
	TOY_FINGERPRINT_MISSES, /* the incremental fingerprint misses changes of the last variable */
	TOY_UNDO_MISSES,        /* every 5th undo forgets one word, together with its fingerprint */
	TOY_NOT_DETERMINISTIC,  /* the last variable depends on how many steps were ever made */
	TOY_ACTION_VANISHES,    /* an initial action is enabled the first time only */
};

struct toy {
	const struct toy_model *model;
	int var[TOY_MAX_VARS];
	struct fingerprint fp;
	struct toy_change {
		u32 index;
		int toggle; /* old xor new */
	} * log;
	size_t len, cap;
	/* Live marks, the oldest first. Numbers are never reused: the use of a dead one is noticed. */
	struct toy_mark {
		target_mark number;
		size_t len;
	} * mark;
	size_t marks, marks_cap;
	target_mark last_mark;
	u64 key; /* of the last violation; set by the model */

	enum toy_fault fault;
	u64 steps, undos, asked;

	/* What the hooks saw. */
	struct target target;
	struct search_hooks hooks;
	struct search_stats stats;
	u64 polls, stop_at_poll; /* 0: never */
	u64 clock_ms;            /* one more at each look */
	u32 told;                /* violations */
	struct toy_told {
		u64 key, len, hash; /* hash of the path */
	} violation[TOY_MAX_VIOLATIONS];
	u32 insane;
	const char *insanity;     /* of the search: gone when it ends, if it was put together */
	char insanity_text[1024]; /* a copy */
	bool path_is_wrong;       /* a violation's path, executed elsewhere, led to another state */
	u64 trail;                /* hash of all actions executed, in order */
};

void toy_init(struct toy *t, const struct toy_model *model);
void toy_free(struct toy *t);
void toy_set(struct toy *t, u32 index, int value);
/* Also checks each violation's path by executing it on a second toy. */
enum search_end toy_search(struct toy *t, const struct search_options *o);

#endif
