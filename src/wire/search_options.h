/*
 * options.h: what a search is told and what it counts: the part of the contract
 * that the search itself shares with the controller.
 */
#ifndef HEDDLE_WIRE_OPTIONS_H
#define HEDDLE_WIRE_OPTIONS_H

#include "base/base.h"

struct fingerprint {
	u64 lo, hi;
};

/* SEARCH_SPREAD: of one rank of many, search/spread.h. */
enum search_strategy { SEARCH_DFS, SEARCH_BFS, SEARCH_RANDOM, SEARCH_PCT, SEARCH_SPREAD };

/* Why a search ended. */
enum search_end {
	SEARCH_COMPLETE,  /* every reachable state was visited */
	SEARCH_VIOLATION, /* stopped at the first violation (no keep_going) */
	SEARCH_LIMIT_STATES,
	SEARCH_LIMIT_DEPTH, /* complete but for what lies below max_depth */
	SEARCH_LIMIT_TIME,
	SEARCH_LIMIT_MEMORY,
	SEARCH_LIMIT_RUNS,  /* random, pct: all runs done */
	SEARCH_INTERRUPTED, /* asked to stop */
	SEARCH_TOOL_ERROR,  /* sanity found a difference (sanity_message says which) */
	SEARCH_STOPPED,     /* STEP_STOP: the target can't follow any further, and says why */
};

#define SEARCH_MAX_UNSYNCHRONISED 16

/* Counted live, in memory that another process may read. */
#define SEARCH_DEPENDENCE_CLASSES 20
#define SEARCH_DEPENDENCE_MODES 49

struct search_stats {
	u64 states;      /* distinct states, the initial one included */
	u64 transitions; /* steps executed that count: first executions of an action in a state */
	u64 revisited;   /* transitions that led to a known state */
	u64 depth, max_depth;
	u64 frontier; /* actions (dfs) or states (bfs) that wait to be tried */
	u64 finished; /* dfs, alone: share of the branches near the initial state that are done, of 10^6 */
	u64 end_states;
	u64 violations; /* distinct by violation_key */
	u64 runs;       /* random, pct */
	u64 walks;      /* runs before and beside another strategy (search/prelude.h), */
	u64 walk_steps; /* and their steps, which count nowhere else */
	u64 restarts;
	u64 passes;  /* of the reduction, after the first */
	u64 reduced; /* states in which actions were left out */
	u64 pruned;
	u64 memory; /* bytes: visited table, stacks, the target's log */
	/*
	 * From so many states on they were kept as bits in a filter, for the table had become too large;
	 * 0: never. missed: an estimate of how many states were taken for known ones, wrongly. swept: the
	 * search went on like that until nothing was left.
	 */
	u64 filtered_from, missed, swept;
	u64 sanity_checks;
	/* The audit of footprints (search/audit.h): comparisons made. */
	u64 audits;
	u64 glances; /* the same, of the eye (search/eye.h) */
	/*
	 * Pairs that are declared dependent: executed in both orders, and the same came out
	 * (search/dependence.h); by class and pair of modes, the smaller one first.
	 */
	struct search_dependence {
		u32 pairs, agreed;
	} dependence[SEARCH_DEPENDENCE_CLASSES * SEARCH_DEPENDENCE_MODES];
	/*
	 * Pairs of steps that share no declared object and yet don't commute, because the program's threads
	 * use the word at `address` without synchronisation; the first few, by address.
	 */
	u64 unsynchronised;
	struct search_unsynchronised {
		u64 address;
		u32 action[2];
	} unsynchronised_at[SEARCH_MAX_UNSYNCHRONISED];
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
	/* Partial-order reduction (search/reduction.h). */
	bool reduce;
	bool reduce_asked; /* the user wants it, whatever speaks against it */
	/* Random walks before the search and beside it (search/prelude.h). */
	bool walks;
};

#endif
