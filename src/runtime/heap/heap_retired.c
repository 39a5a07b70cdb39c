/*
 * heap_retired.c: blocks that another fiber than the arena's gave back. Their granules stay used, so that
 * no later block lies there, and a bit tells that they are free.
 */
#include "runtime/heap/heap_priv.h"

struct heap_retired *heap_retired_of(struct heap_arena *a)
{
	return (struct heap_retired *)((char *)a + heap_layout.retired_off);
}

bool heap_retired_has(struct heap_arena *a, u64 at)
{
	const struct heap_retired *r = heap_retired_of(a);
	u64 bit = at - HEAP_FIRST_GRANULE;
	return r->count && bit < heap_layout.retired_granules && r->bit[bit / 64] >> bit % 64 & 1;
}

bool heap_retired_put(struct heap_arena *a, struct heap_block b)
{
	struct heap_retired *r = heap_retired_of(a);
	u64 bit = b.at - HEAP_FIRST_GRANULE;
	if (r->count == HEAP_MAX_RETIRED || bit >= heap_layout.retired_granules)
		return false;
	r->count++;
	r->bytes += b.granules * HEAP_GRANULE;
	r->bit[bit / 64] |= 1UL << bit % 64;
	return true;
}

void heap_retired_remove(struct heap_arena *a, struct heap_block b)
{
	struct heap_retired *r = heap_retired_of(a);
	u64 bit = b.at - HEAP_FIRST_GRANULE;
	r->count--;
	r->bytes -= b.granules * HEAP_GRANULE;
	r->bit[bit / 64] &= ~(1UL << bit % 64);
}
