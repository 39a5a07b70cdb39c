/*
 * shadow.h: one cell of knowledge for every 4 bytes of the SUT's memory. Persistent.
 */
#ifndef HEDDLE_RUNTIME_SHADOW_H
#define HEDDLE_RUNTIME_SHADOW_H

#include "base/base.h"
#include "runtime/memory/lockset.h"
#include "wire/layout.h"
#include "wire/learnt.h"

#define SHADOW_GRAIN LEARNT_GRAIN

/* How much has to be done for accesses to a cell; only ever more. The essay is in memory.c. */
enum cell_level {
	CELL_QUIET,   /* one fiber uses it, or nobody writes, or there is a lock common to all uses */
	CELL_SHARED,  /* none of these: its accesses are kept in windows (window.h) */
	CELL_HANDED,  /* and no release is merged behind them */
	CELL_VISIBLE, /* its accesses are steps */
};

/* What is known of 4 bytes, from accesses made while other threads existed. All zero: nothing yet. */
struct cell {
	u32 owner : 11;  /* slot + 1 of the first fiber that used it */
	u32 several : 1; /* another fiber used it, too */
	u32 written : 1;
	u32 bare : 1;             /* used by an atomic or volatile access, or by a handler of signals */
	u32 level : 2;            /* enum cell_level */
	u32 locks : LOCKSET_BITS; /* lockset held at every access so far */
};
_Static_assert(LAYOUT_MAX_FIBERS < (1u << 11) - 1, "every owner has a number, and handlers one more");
_Static_assert(sizeof(struct cell) == 4, "a cell is a word");

/* More about cells of a level above CELL_QUIET. */
struct cell_more {
	u64 noted;  /* when it was last noted in a window, and which bytes: window.c */
	u64 region; /* number of the first cell of the lesson that told of it first */
	u64 users;  /* fibers that noted it, as bits, and whether something relied on that: window.c */
	u32 pass;   /* in which search it became CELL_HANDED */
	u16 dropped;
	u16 placed; /* the region is the one that all workers know it by */
};

/*
 * The locks that the running fiber holds, or has held at any time since its step began (held_set.c).
 * exclusive_only: leaves out those that it shares with other readers.
 */
u32 held_locks(bool exclusive_only);
u32 held_ever(bool exclusive_only);

struct cell *shadow_cell(u64 address);
struct cell_more *shadow_more(u64 address);

static inline bool shadow_is_visible(u64 address)
{
	return shadow_cell(address)->level == CELL_VISIBLE;
}

#endif
