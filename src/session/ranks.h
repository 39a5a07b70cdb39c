/*
 * ranks.h: one rank of a search by many machines (search/spread.h): a controller with one worker. What
 * travels between controllers is behind struct session_ranks; MPI is one way (mpi/).
 * docs/design/many-machines.md
 */
#ifndef HEDDLE_SESSION_RANKS_H
#define HEDDLE_SESSION_RANKS_H

#include "session/collect.h"
#include "session/session.h"
#include "wire/wire_spread.h"

/* All functions but route and lose are called by every rank, in the same order. */
struct session_ranks {
	void *self;
	u32 rank, ranks;
	/* Passes on what lies in the rings, both ways; messages of earlier epochs are dropped. */
	bool (*route)(void *self, struct wire_spread *w, u32 epoch);
	/* This rank's worker is lost: the others must not wait for it. */
	void (*lose)(void *self);
	/* Some other rank's is. */
	bool (*lost)(void *self);
	/* The largest of all ranks' numbers. */
	u64 (*largest)(void *self, u64 mine);
	/* Rank 0 gets the bytes of each other rank, one after the other; the others send theirs. */
	int (*gather)(void *self, const void *bytes, u64 len,
		      int (*take)(void *arg, u32 rank, void *bytes, u64 len), void *arg);
	/* Rank 0's bytes become everybody's. */
	void (*share)(void *self, void *bytes, u64 len);
};

enum ranks_end {
	RANKS_REPORT = 0, /* rank 0: what all found is in `o` and `found` */
	RANKS_DONE,       /* another rank: rank 0 reports */
	RANKS_ALONE,      /* rank 0 has to do it by itself; o->workers_why says why */
	RANKS_FAILED,     /* the problem says why */
};

/*
 * Has any rank failed? All ask at the same place, so that none waits for one that has gone. -1: some rank
 * has, and rank 0's *p says which and why. r NULL: this one is alone.
 */
int ranks_agree(const struct session_ranks *r, bool failed, struct problem *p);
/*
 * Is it the same program on all ranks, and does it start alike? -1: no, or it does not start somewhere; rank
 * 0's *p says which.
 */
int ranks_same_start(const struct session_ranks *r, const struct launch *l,
		     const struct session_observer *observer, struct problem *p);

/* l: strategy SEARCH_SPREAD. */
enum ranks_end ranks_search(const struct session_ranks *r, struct launch *l,
			    const struct session_observer *observer, struct outcome *o,
			    struct findings *found, struct problem *p);

/* Adds what another rank has learnt to `all`; true: there was something new. */
bool ranks_merge(struct wire_learnt *all, const struct wire_learnt *more);

#endif
