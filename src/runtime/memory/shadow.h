/*
 * shadow.h: one cell of knowledge for every 4 bytes of the SUT's memory. Persistent.
 */
#ifndef HEDDLE_RUNTIME_SHADOW_H
#define HEDDLE_RUNTIME_SHADOW_H

#include "base/base.h"
#include "runtime/memory/lockset.h"
#include "wire/layout.h"

#define SHADOW_GRAIN 4u

/* What is known of 4 bytes, from accesses made while other threads existed. All zero: nothing yet. */
struct cell {
	u32 owner : 11;  /* slot + 1 of the first fiber that used it */
	u32 several : 1; /* another fiber used it, too */
	u32 written : 1;
	u32 visible : 1;          /* its accesses are steps */
	u32 locks : LOCKSET_BITS; /* lockset held at every access so far */
};
_Static_assert(LAYOUT_MAX_FIBERS < (1u << 11) - 1, "every owner has a number, and handlers one more");
_Static_assert(sizeof(struct cell) == 4, "a cell is a word");

/* The locks the running fiber holds (held_set.c). */
u32 held_locks(bool exclusive_only);

struct cell *shadow_cell(u64 address);

#endif
