/*
 * recorder.h: an observer that writes a depth-first search down as a tape (tape.h), while it is made. Wanted
 * where search_hooks.record says so: the search then numbers its states (search_priv.h, number).
 *
 * With a reduction, a search that is recorded ends with a pass in which nothing was learnt, so that whoever
 * has all facts from the beginning makes the same choices.
 */
#ifndef HEDDLE_SEARCH_RECORDER_H
#define HEDDLE_SEARCH_RECORDER_H

#include "search/observer.h"
#include "search/tape.h"

extern const struct observer observer_recorder;

/* A search_run begins: facts of the reduction that it learns go to the tape, too. */
void recorder_attach(struct search *s);

/* Numbers for labels: the same for the same; a table that grows. */
struct label_table {
	u32 *slot; /* id + 1; 0: free */
	u64 *key;  /* beside slot: action, kind and pc in one number */
	u32 count, mask;
};
/* The id; *is_new: it was not known before. ~0: no memory. */
u32 label_table_id(struct label_table *t, u32 action, u32 kind, u64 pc, bool *is_new);
void label_table_free(struct label_table *t);

#endif
