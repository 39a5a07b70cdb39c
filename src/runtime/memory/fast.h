/*
 * fast.h: most accesses change nothing of what is known: the same fiber was here before, in the same step or
 * under the same locks. They are recognised by a look at the cell alone, without a call. For the doors of the
 * hooks (interpose/hooks.c).
 */
#ifndef HEDDLE_RUNTIME_MEMORY_FAST_H
#define HEDDLE_RUNTIME_MEMORY_FAST_H

#include "base/base.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/shadow.h"
#include "runtime/sched/run.h"

#define FAST_SLOTS 64u /* a power of two */

/* Persistent. Holds for as long as `moment` is run_moment; pages are good for ever. */
struct memory_fast {
	u64 moment;
	u64 noted;   /* upper bits of cell_more.noted: what was noted in this moment */
	bool alone;  /* memory_access would only look whether the address is in a live block */
	bool passed; /* an access was passed since the last one that was not */
	u64 last;    /* address of the last one passed */
	/* A quiet cell of the running fiber, [write]: these bits must be `own`, or `own_unlocked`. */
	u32 mask[2], own[2], own_unlocked[2];
	u32 read_only_mask, read_only; /* one that several read, and nobody writes */
	struct fast_page {
		u64 number; /* address / HD_PAGE + 1 */
		const u32 *cells;
		const struct cell_more *more;
	} page[FAST_SLOTS];
	/* The live heap block that an access to this page (address / HD_PAGE) was in last. */
	struct fast_block {
		u64 moment, start, end;
	} block[FAST_SLOTS];
};
extern struct memory_fast memory_fast;

static inline bool fast_in_block(u64 address, u64 size)
{
	if (address - LAYOUT_HEAP_BASE >= LAYOUT_MAX_FIBERS * LAYOUT_HEAP_STRIDE)
		return true;
	const struct fast_block *b = &memory_fast.block[address / HD_PAGE % FAST_SLOTS];
	return b->moment == run_moment && address >= b->start && address + size <= b->end;
}

/*
 * Does this access change nothing? Then memory_access need not be called. Whoever asks has no stack, and must
 * do with few registers, hence the parts. May it pass at all?
 */
static inline bool fast_may_pass(u64 address, u64 size, u32 how)
{
	if (memory_fast.moment != run_moment || how > MEMORY_WRITE || size - 1 > 7)
		return false;
	/* Somebody who waits looks at the same place again and again: memory.c, looks_often. */
	if (address == memory_fast.last && !how)
		return false;
	return fast_in_block(address, size);
}

/* One cell or a part of it, or two that are aligned: the others are no fast accesses. */
static inline bool fast_is_aligned(u64 address, u64 size)
{
	return size <= SHADOW_GRAIN ? address % SHADOW_GRAIN + size <= SHADOW_GRAIN
				    : !(address % (2 * SHADOW_GRAIN)) && size == 2 * SHADOW_GRAIN;
}

static inline const struct fast_page *fast_page_of(u64 address)
{
	return &memory_fast.page[(address / HD_PAGE + 1) % FAST_SLOTS];
}

static inline bool fast_cell(u32 cell, bool write)
{
	u32 own = cell & memory_fast.mask[write];
	return own == memory_fast.own[write] || own == memory_fast.own_unlocked[write] ||
	       (!write && (cell & memory_fast.read_only_mask) == memory_fast.read_only);
}

/* Is it of quiet cells (the first, the second), and nothing new? */
static inline bool fast_is_own(u64 address, u32 which, bool write)
{
	return fast_cell(fast_page_of(address)->cells[address % HD_PAGE / SHADOW_GRAIN + which], write);
}

/* Is it of cells in windows (the first, the second), and was it noted already? */
static inline bool fast_is_noted(u64 address, u64 size, u32 which, bool write)
{
	const struct cell_more *more = fast_page_of(address)->more;
	if (!more)
		return false;
	u64 noted = more[address % HD_PAGE / SHADOW_GRAIN + which].noted;
	u64 bytes = ((1u << HD_MIN(size, (u64)SHADOW_GRAIN)) - 1) << address % SHADOW_GRAIN;
	return (noted & ~(u64)0xff) == memory_fast.noted && !(bytes & ~(noted >> (write ? SHADOW_GRAIN : 0)));
}

static inline void fast_passed(u64 address)
{
	memory_fast.last = address;
	memory_fast.passed = true;
}

#endif
