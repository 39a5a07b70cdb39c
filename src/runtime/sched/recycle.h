/*
 * recycle.h: freed memory that is handed out again at once.
 *
 * The heap does not use a place again that another fiber gave back (heap/heap.h), and a fiber's own ones from
 * below. A real allocator gives a thread what it freed last. Who holds a stale pointer then takes the new
 * block for the old one: a compare-and-exchange that should fail succeeds (ABA). To see that, both are
 * explored, by a lesson: once a compare-and-exchange compares with a pointer to freed memory (--heap-reuse
 * auto), the search starts again, and each fiber has a choice when it first could get a freed block: fresh
 * ones from now on, or always the newest, or the oldest, that fits of those it gave back, or one of its own
 * that others gave back. One choice for each thread costs little; who does it now so, now so is left out.
 */
#ifndef HEDDLE_RUNTIME_RECYCLE_H
#define HEDDLE_RUNTIME_RECYCLE_H

#include "base/base.h"
#include "runtime/heap/heap.h"
#include "wire/layout.h"

/* Some keep a mark or a counter in the bits that no address has. */
#define RECYCLE_ADDRESS_BITS 0x00007ffffffffff8UL
static inline bool recycle_is_of_heap(u64 expected)
{
	return (expected & RECYCLE_ADDRESS_BITS) - LAYOUT_HEAP_BASE < LAYOUT_MAX_FIBERS * LAYOUT_HEAP_STRIDE;
}

/* A compare-and-exchange of the running fiber is about to compare with this value. */
void recycle_compares(u64 expected);
/* Was such a one seen in this run? */
bool recycle_seen(void);
/* A freed block for this allocation; NULL: it is to be a fresh one. May be a step. */
void *recycle_take(size_t size, size_t align);
/* Is what the running fiber gives back to be set aside? Then it is, by put. */
bool recycle_keeps(void);
enum heap_status recycle_put(void *block);

#endif
