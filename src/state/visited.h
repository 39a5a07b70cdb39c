/*
 * visited.h: the set of states seen so far: 128-bit fingerprints, 16 bytes a
 * slot, nothing else. Freestanding; memory comes from base/pages.h.
 *
 * A set that was zeroed is empty and ready. Results: 1 new, 0 known, -ENOMEM when the table
 * would have to grow and the kernel has no memory; the set is then unchanged.
 *
 * Optionally each entry carries the smallest depth at which its state was reached (4 bytes more):
 * what a depth-bounded search needs to be sound.
 */
#ifndef HEDDLE_STATE_VISITED_H
#define HEDDLE_STATE_VISITED_H

#include "base/base.h"
#include "wire/search_options.h"

struct visited_table {
	struct fingerprint *slots;
	u32 *depths; /* beside slots; NULL without depths */
	u64 mask;    /* number of slots - 1 */
	u32 shift;   /* the home of a hash is its topmost bits: hash >> shift */
};

struct visited {
	struct visited_table now;
	struct visited_table old; /* while growing: what was not moved yet */
	u64 origin, moved;        /* old's slots are moved in turn, from origin on */
	u64 released;             /* of those, slots whose memory went back to the kernel */
	u64 count, limit;         /* entries; when to grow */
	bool with_depths;
};

int visited_insert(struct visited *v, struct fingerprint fp);
bool visited_contains(const struct visited *v, struct fingerprint fp);

/*
 * The same with depths; a set is used with depths or without from the first insertion on.
 * 0 means known at this depth or a smaller one; VISITED_CLOSER: known, but so far
 * only farther away: *was is the depth known before, `depth` is noted.
 */
#define VISITED_CLOSER 2
int visited_insert_depth(struct visited *v, struct fingerprint fp, u32 depth, u32 *was);

/*
 * The same with a number for each entry instead: numbers ascend from one new entry to the next. Known: *was
 * is its number.
 */
int visited_insert_number(struct visited *v, struct fingerprint fp, u32 number, u32 *was);
/* Calls fn for each entry, in any order. */
void visited_each(const struct visited *v, void (*fn)(void *self, struct fingerprint fp), void *self);

/* Forget all entries and give the memory back. */
void visited_reset(struct visited *v);
/* Memory in use. */
u64 visited_bytes(const struct visited *v);

#endif
