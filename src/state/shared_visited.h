/*
 * shared_visited.h: the set of states seen so far by all workers of a run: 128-bit fingerprints in memory
 * that several processes map. visited.h is the one for a worker alone.
 *
 * Insertion needs no lock: a slot goes from empty to its fingerprint once, by a 16-byte compare-and-swap, so
 * of several workers that come to a state at the same time exactly one is told that it is new, and a worker
 * that dies leaves nothing half done. Growing is done by all workers together, while none of them inserts.
 *
 * Memory that is zero is an empty set. A state can be marked: each mark is a bit that is taken from its
 * fingerprint.
 */
#ifndef HEDDLE_STATE_SHARED_VISITED_H
#define HEDDLE_STATE_SHARED_VISITED_H

#include "base/base.h"
#include "wire/search_options.h"

/* In shared memory; all zero at first. */
struct shared_visited {
	u32 grown;  /* how often the table has doubled */
	u32 moving; /* 1: between shared_visited_grow and shared_visited_grown */
	u64 moved;  /* while growing: slots that somebody has moved, or is moving */
	u64 poured; /* bytes of the filter that has taken the table's place; 0: none has */
	u32 pouring;
};

/* Tables lie in a region of so many bytes, which is sparse; the largest has 2^35 slots. */
#define SHARED_VISITED_REGION (1UL << 40)

/* One worker's view. */
struct shared_table {
	struct shared_visited *shared;
	char *region; /* page-aligned, SHARED_VISITED_REGION bytes, shared, zero at first */
};

/*
 * 1 new, 0 known. There must be room: whoever inserts looks at the sum of all workers' entries now and then,
 * and has the table grow above shared_visited_limit.
 */
int shared_visited_insert(const struct shared_table *t, struct fingerprint fp);
/* What is known of a state: closed, see dfs.c; escapes, see escape.h. In fingerprint.hi. */
#define SHARED_CLOSED (1UL << 63)
#define SHARED_ESCAPES (1UL << 62)
/* Marks a state. False: it is not in the set. */
bool shared_visited_mark(const struct shared_table *t, struct fingerprint fp, u64 mark);
/* Is it in the set, and marked so? */
bool shared_visited_is(const struct shared_table *t, struct fingerprint fp, u64 mark);

/*
 * With more entries than that the table should grow; with more than that it must, some thousands before it is
 * full.
 */
u64 shared_visited_limit(const struct shared_table *t);
u64 shared_visited_last_limit(const struct shared_table *t);
/* Memory in use. */
u64 shared_visited_bytes(const struct shared_table *t);

/*
 * Growing, while nobody does anything else: one worker begins, then all of them move, then, when all have
 * come back from that, one ends it. -ENOMEM: there is no memory, and nothing has changed.
 */
int shared_visited_grow(const struct shared_table *t);
void shared_visited_move(const struct shared_table *t);
void shared_visited_grown(const struct shared_table *t);

/*
 * A filter of at most so many bytes takes the table's place (bit_filter.h), as above: one worker begins, then
 * all of them pour: each entry is given to `add` once. When all have come back from that, one ends it. Then
 * there is the filter alone, until the next reset.
 */
void shared_visited_filter(const struct shared_table *t, u64 bytes);
void shared_visited_pour(const struct shared_table *t, void (*add)(void *self, struct fingerprint fp),
			 void *self);
void shared_visited_poured(const struct shared_table *t);
/* What stands for a state in the table, and hence in the filter. */
struct fingerprint shared_visited_key(struct fingerprint fp);
/* Where the filter lies, and its bytes; 0: there is none. */
void *shared_visited_filter_at(const struct shared_table *t, u64 *bytes);

/* Forgets all entries, while nobody does anything else. */
void shared_visited_reset(const struct shared_table *t);

#endif
