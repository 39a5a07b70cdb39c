/*
 * observer.h: for whoever wants to follow a search: which states it enters, which edges it takes, which
 * states it leaves.
 *
 * For each search (a restart begins a new one):
 *
 *   begin   the target stands in the initial state;
 *   enter   the current state is going to be extended; `actions` are its enabled actions;
 *   step    `action` is about to be executed in the current state, which was entered;
 *   edge    it has been executed and led where `to` says; the target stands there. Comes before enter of
 *           that state;
 *   leave   all edges of the current state that the strategy takes now have been taken; the target stands
 *           there again, but for walks;
 *   end     the search is over, or will start again.
 *
 * dfs: enter and leave are nested; each state is entered once (with a bound on the depth: once for each
 * shorter path to it). bfs: the same, but not nested. random and pct: one edge between enter and leave,
 * and a state is entered as often as it is met.
 *
 * What an observer returns: MOVE_KNOWN, go on; MOVE_HALT or MOVE_RESTART, as a step would. In `enter` an
 * observer may execute steps of the target, if it undoes them. Without observers a search pays for one
 * test at each of these places.
 */
#ifndef HEDDLE_SEARCH_OBSERVER_H
#define HEDDLE_SEARCH_OBSERVER_H

#include "search/target.h"

/* Where a step led, and what to do next. */
enum move {
	MOVE_NEW,     /* to a state not seen before */
	MOVE_CLOSER,  /* to a known state, on a shorter path than before (depth-bounded dfs only) */
	MOVE_KNOWN,   /* to a known state */
	MOVE_DEAD,    /* nowhere: pruned, or a violation (told). To be undone. */
	MOVE_HALT,    /* the search is over, search.end says why */
	MOVE_RESTART, /* the steps were too coarse: back to the initial state and start again */
};

/* Where an edge leads. */
enum edge {
	EDGE_NEW,   /* to a state that is entered next (dfs), when its turn comes (bfs), or new (walks) */
	EDGE_KNOWN, /* to a state that was met before */
	EDGE_END,   /* to a state that is not extended: the end of an execution, the bound on the depth */
	EDGE_DEAD,  /* nowhere: the step was cut short by a violation or an assumption */
};

struct search;

struct observer {
	/* The observer's own memory for this search; NULL: it does not want to follow it. */
	void *(*begin)(struct search *s);
	/* Each of these may be NULL. */
	enum move (*enter)(void *self, struct search *s, const u32 *actions, u32 n);
	enum move (*step)(void *self, struct search *s, u32 action);
	enum move (*edge)(void *self, struct search *s, u32 action, enum edge to);
	enum move (*leave)(void *self, struct search *s);
	void (*end)(void *self, struct search *s);
	/* Bytes held. */
	u64 (*memory)(const void *self);
};

#define OBSERVERS_MAX 6

/* Those who follow the search under way. */
struct observers {
	u32 count;
	struct {
		const struct observer *of;
		void *self;
	} one[OBSERVERS_MAX];
};

void observers_begin(struct search *s);
void observers_end(struct search *s);
u64 observers_memory(const struct search *s);

/* For strategies: see the inline functions in search_priv.h. */
enum move observers_enter(struct search *s, const u32 *actions, u32 n);
enum move observers_step(struct search *s, u32 action);
enum move observers_edge(struct search *s, u32 action, enum edge to);
enum move observers_leave(struct search *s);

#endif
