/*
 * bit_filter.h: a set of states in a memory of fixed size, for searches that outgrow their table: a few
 * bits a state, and wrong now and then in one direction: a new state may be taken for a known one.
 * (Bitstate hashing, a Bloom filter of cache lines.) Nothing is ever forgotten, so a search that uses it
 * ends. Freestanding.
 *
 * A filter that was zeroed has no memory yet; bit_filter_begin gives it some.
 */
#ifndef HEDDLE_STATE_BIT_FILTER_H
#define HEDDLE_STATE_BIT_FILTER_H

#include "base/base.h"
#include "wire/search_options.h"

struct bit_filter {
	u64 *words;
	u64 lines;  /* of 64 bytes */
	u64 missed; /* expected number of states taken for known ones, in units of 1 / BIT_FILTER_UNIT */
	bool lent;  /* the memory is somebody else's */
};

#define BIT_FILTER_UNIT (1ull << 27)

/* At most so many bytes. -ENOMEM, or 0. */
int bit_filter_begin(struct bit_filter *f, u64 bytes);
/*
 * In memory that other processes use as a filter, too, of this many bytes. Of several that insert a state at
 * the same time at least one finds it new, perhaps all.
 */
void bit_filter_lend(struct bit_filter *f, void *memory, u64 bytes);
/* 1 new, 0 known, perhaps wrongly. */
int bit_filter_insert(struct bit_filter *f, struct fingerprint fp);
/* A state that is surely new, and taken as such whatever the bits say: nothing is missed. */
void bit_filter_add(struct bit_filter *f, struct fingerprint fp);
void bit_filter_reset(struct bit_filter *f);
u64 bit_filter_bytes(const struct bit_filter *f);

#endif
