/*
 * heap.h: the canonical allocator behind malloc.
 *
 * Purpose: the bytes of the heap, its bookkeeping included, depend on the blocks that
 * are alive and on the allocating fiber's own history, never on how mallocs and frees
 * of different fibers interleaved. Each fiber allocates from its own arena,
 * lowest address first; a freed block is zeroed and leaves no trace, unless it retires.
 *
 * All memory of an arena, bookkeeping included, lies in its LAYOUT_HEAP range (tracked
 * memory, reserved and zero at start). Freestanding; no locks: one kernel thread.
 */
#ifndef HEDDLE_RUNTIME_HEAP_H
#define HEDDLE_RUNTIME_HEAP_H

#include "base/base.h"

/* Where the arenas lie; set once. Tests give their own memory. `limit`: bytes in all, 0 = none.
 * base: page-aligned; stride: a power of two, at least 64 KiB. */
void heap_setup(u64 base, u64 stride, u32 arenas, u64 limit);

/* Zeroed or not is the same here: fresh memory is always zero. align: power of two, at least 1.
 * NULL when out of memory (limit or arena full). Size 0 gives a unique small block. */
void *heap_alloc(u32 arena, size_t size, size_t align);

enum heap_status {
	HEAP_OK = 0,
	HEAP_NOT_A_BLOCK,  /* never came from this heap */
	HEAP_INSIDE_BLOCK, /* points into a live block, not at its start */
	HEAP_ALREADY_FREE, /* no live block there, but one could have been: freed memory leaves no trace */
	HEAP_REUSED,       /* done, but the block should have retired, and there was no room for that */
};
/*
 * Blocks that are given back by another fiber than the one whose arena they lie in retire: their place is not
 * used again. So where a fiber's blocks lie depends on what it did itself, not on when others were done
 * with some. On at the start; tests and lessons turn it off.
 */
void heap_retire(bool on);
/* Any fiber may free any block; `arena`: of the one that does. NULL is fine. */
enum heap_status heap_free(u32 arena, void *p);
/*
 * The same, but the block may be taken again at once, by the fiber of `arena`, the newest or the oldest that
 * fits, or by the one whose it was. find: looks only. NULL: there is none.
 */
enum heap_aside { HEAP_NEWEST, HEAP_OLDEST };
enum heap_status heap_aside_put(u32 arena, void *p);
void *heap_aside_take(u32 arena, size_t size, size_t align, enum heap_aside which);
void *heap_aside_find(u32 arena, size_t size, size_t align, enum heap_aside which);
/* Grows or shrinks; in place when it can. NULL with *status == HEAP_OK: out of memory, old block alive.
 * `arena`: of the fiber; where a moved block goes. p == NULL allocates; size 0 leaves a smallest block. */
void *heap_realloc(u32 arena, void *p, size_t size, enum heap_status *status);
/* 0 unless p is the start of a live block. */
size_t heap_usable(const void *p);

/* For reports and hooks: the live block that contains `p`. */
bool heap_find(const void *p, u64 *start, u64 *size);
/* Does the byte belong to an arena's own books, and never to a block? */
bool heap_is_bookkeeping(u64 address);
/* Of these books: does it tell what has retired? */
bool heap_is_about_retired(u64 address);
/* Bytes in live blocks, all arenas. */
u64 heap_live_bytes(void);

/* For tests and --sanity: recomputes an arena's bookkeeping. NULL, or the first
 * invariant (numbered in heap.c) that does not hold. */
const char *heap_check(u32 arena);

#endif
