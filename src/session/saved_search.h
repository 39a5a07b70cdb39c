/*
 * saved_search.h: a search is written down now and then, so that it can go on after ^C, --max-time, kill -9
 * or the end of the machine (--resume). docs/design/parallel.md, "Saving", says what is saved and why that
 * is enough.
 *
 * The file lies in the folder of the results. It takes the place of the one before when it is whole, and
 * goes when the search has come to its end. If it can't be written, the search goes on without.
 */
#ifndef HEDDLE_SESSION_SAVED_SEARCH_H
#define HEDDLE_SESSION_SAVED_SEARCH_H

#include "launch/problem.h"
#include "launch/sut.h"
#include "report/outcome.h"
#include "session/session.h"

#define SAVED_SEARCH "search.saved"
#define SAVED_FORMERS 256

struct saved_search {
	const char *dir; /* NULL: it is not saved */
	u64 identity;    /* of the program, its arguments, the options that matter, the peers */
	u64 every_ms, next_ms;
	u64 end_ms;                       /* --max-time: it is saved once more before that; 0: no */
	u64 asked_ms;                     /* for the last time, as it is to stop; 0: not yet */
	struct sut former[SAVED_FORMERS]; /* workers of the saved search: what they had found */
	u32 formers;
	bool exists;       /* this run has written one, or goes on from one */
	char trouble[256]; /* why the last one could not be written */
};

void saved_search_init(struct saved_search *s, const struct session_plan *plan);
/* Fills in what the workers of a run share, before they start. One sentence if it can't be. */
int saved_search_load(struct saved_search *s, const struct session_plan *plan, struct shared_part *part,
		      struct problem *p);
/* Often, while workers run. */
void saved_search_tick(struct saved_search *s, struct shared_part *part, const struct sut *worker,
		       u32 workers);
/* The search is to stop: it is saved before. True: that was done, or can't be. */
bool saved_search_last(struct saved_search *s, const struct shared_part *part, u64 lasted_ms);
/* What the saved search had found belongs to the result, unless it was started again. */
bool saved_search_counts(const struct saved_search *s, const struct shared_part *part);
/* A note for the report; the file goes, unless it is still of use. */
void saved_search_end(struct saved_search *s, struct outcome *o);

#endif
