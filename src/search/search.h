/*
 * search.h: explore a target. One strategy a file; all share the limits, the
 * statistics, the visited table and the way violations are told.
 *
 * Freestanding: memory comes from base/pages.h (anonymous mappings), so that the engine can
 * run inside the SUT's process.
 */
#ifndef HEDDLE_SEARCH_SEARCH_H
#define HEDDLE_SEARCH_SEARCH_H

#include "search/target.h"

enum search_strategy { SEARCH_DFS, SEARCH_BFS, SEARCH_RANDOM, SEARCH_PCT };

/* Why a search ended. */
enum search_end {
	SEARCH_COMPLETE,     /* every reachable state was visited */
	SEARCH_VIOLATION,    /* stopped at the first violation (no keep_going) */
	SEARCH_LIMIT_STATES,
	SEARCH_LIMIT_DEPTH,  /* complete but for what lies below max_depth */
	SEARCH_LIMIT_TIME,
	SEARCH_LIMIT_MEMORY,
	SEARCH_LIMIT_RUNS,   /* random, pct: all runs done */
	SEARCH_INTERRUPTED,  /* asked to stop */
	SEARCH_TOOL_ERROR,   /* STEP_STOP, or sanity found a difference (sanity_message says which) */
};

/* Counted live, in memory that another process may read. */
struct search_stats {
	u64 states;      /* distinct states, the initial one included */
	u64 transitions; /* steps executed that count: first executions of an action in a state */
	u64 revisited;   /* transitions that led to a known state */
	u64 depth, max_depth;
	u64 end_states;
	u64 violations;  /* distinct by violation_key */
	u64 runs;        /* random, pct */
	u64 restarts;
	u64 pruned;
	u64 memory;      /* bytes: visited table, stacks, the target's log */
	u64 sanity_checks;
};

struct search_options {
	enum search_strategy strategy;
	u64 seed;
	/* 0: no limit */
	u64 max_states, max_depth, max_time_ms, max_memory, max_runs;
	u32 pct_depth; /* number of priority change points + 1 */
	u32 sanity;    /* 0..3; see docs/VERDICTS.md */
	bool keep_going;
	/* Without state matching: every path is walked; for cross-checks on small targets. */
	bool no_matching;
};

struct search_hooks {
	void *self;
	/* A new distinct violation; path = actions from the initial state. The target still
	 * stands where it was found. */
	void (*violation)(void *self, const u32 *path, u64 len);
	/* Polled often and cheaply: true = stop. */
	bool (*stop)(void *self);
	u64 (*now_ms)(void *self);
	/* Sanity found a difference: a text for the tool error. */
	void (*insane)(void *self, const char *what, const u32 *path, u64 len);
};

enum search_end search_run(struct target *t, const struct search_options *o, const struct search_hooks *h, struct search_stats *stats);

#endif
