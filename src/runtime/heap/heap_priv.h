/*
 * heap_priv.h: what the files of the heap share: the shape of an arena and the two
 * layers inside it, the index of pages and the blocks. The essay is in heap.c.
 */
#ifndef HEDDLE_RUNTIME_HEAP_PRIV_H
#define HEDDLE_RUNTIME_HEAP_PRIV_H

#include "base/base.h"
#include "runtime/heap/heap.h"

#define HEAP_GRANULE 16u
#define HEAP_PAGE_GRANULES (HD_PAGE / HEAP_GRANULE)
#define HEAP_CHUNK_PAGES 63u
/* Data pages are numbered from here: what would be lines 0 and 1 of chunk 0 is the arena's header. */
#define HEAP_FIRST_PAGE 2u
#define HEAP_FIRST_GRANULE ((u64)HEAP_FIRST_PAGE * HEAP_PAGE_GRANULES)
#define HEAP_MAX_ARENAS 2048u
/* So many blocks of an arena retire, and none above the first so many granules (64 MB). */
#define HEAP_MAX_RETIRED 128u
#define HEAP_RETIRED_GRANULES (4u << 20)

/*
 * How tight a page or chunk is, in one byte; a smaller code has more room. 0: empty.
 * A chunk with an empty page tells its longest run of them: 63 pages less the code. Codes from
 * LOOSE to FULL tell a page's longest gap, or the longest one in a chunk without
 * empty pages: at least HEAP_GAP_MAX granules, down to none.
 */
#define HEAP_GAP_MAX 190u
enum heap_code {
	HEAP_CODE_EMPTY = 0,
	HEAP_CODE_ONE_EMPTY = HEAP_CHUNK_PAGES - 1,
	HEAP_CODE_LOOSE = HEAP_CHUNK_PAGES,
	HEAP_CODE_FULL = HEAP_CODE_LOOSE + HEAP_GAP_MAX,
	HEAP_CODE_HEAD = 254, /* the first page of a block of several pages */
	HEAP_CODE_BODY = 255, /* a later page of it; of a chunk: all its pages are that */
};

/* One page's blocks, a bit per granule. A HEAD page has its block's granules in used[0], and no bits. */
struct heap_line {
	u64 used[4];
	u64 start[4];
};

/* The map of a chunk: one page that describes 63. */
struct heap_map {
	u8 code[64]; /* the last is unused and zero */
	struct heap_line line[HEAP_CHUNK_PAGES];
};

/* An arena begins with the map of chunk 0, and in its unused lines the header. */
struct heap_arena {
	u8 code[64];
	u64 live; /* bytes in live blocks */
	u64 spare[7];
	u8 near_group[64]; /* the codes of chunks 0 to 63 */
	struct heap_line line[HEAP_CHUNK_PAGES - HEAP_FIRST_PAGE];
};
_Static_assert(sizeof(struct heap_line) == 64, "a line is a cache line");
_Static_assert(sizeof(struct heap_map) == HD_PAGE, "a map is a page");
_Static_assert(sizeof(struct heap_arena) == HD_PAGE, "the header hides in chunk 0's map");

/* Set once by heap_setup; the same for all arenas. Offsets count from the arena's start. */
struct heap_layout {
	u64 base, stride, limit;
	u32 arenas;
	u32 stride_shift;
	u32 chunks, groups; /* a group is 64 chunks */
	u32 end_page;       /* one past the last page number */
	u64 group_off;      /* codes of all chunks (those of group 0 live in the header) */
	u64 sum_off;        /* codes of all groups */
	u64 retired_off;    /* struct heap_retired */
	u64 data_off;       /* page HEAP_FIRST_PAGE */
	u64 retired_granules;
	bool retires; /* blocks that other fibers give back */
};
extern struct heap_layout heap_layout __attribute__((visibility("hidden")));

static inline struct heap_arena *heap_arena_at(u32 arena)
{
	return (struct heap_arena *)(heap_layout.base + ((u64)arena << heap_layout.stride_shift));
}

static inline struct heap_map *heap_map_of(struct heap_arena *a, u32 chunk)
{
	return (struct heap_map *)((char *)a + (u64)chunk * HD_PAGE);
}

static inline struct heap_line *heap_line_of(struct heap_arena *a, u32 page)
{
	return &heap_map_of(a, page / HEAP_CHUNK_PAGES)->line[page % HEAP_CHUNK_PAGES];
}

static inline char *heap_granule_address(struct heap_arena *a, u64 at)
{
	return (char *)a + heap_layout.data_off + (at - HEAP_FIRST_GRANULE) * HEAP_GRANULE;
}

static inline u8 *heap_group_codes(struct heap_arena *a, u32 group)
{
	return group ? (u8 *)a + heap_layout.group_off + (u64)group * 64 : a->near_group;
}

static inline u8 *heap_chunk_code(struct heap_arena *a, u32 chunk)
{
	return heap_group_codes(a, chunk / 64) + chunk % 64;
}

static inline u8 *heap_group_sums(struct heap_arena *a)
{
	return (u8 *)a + heap_layout.sum_off;
}

static inline u8 heap_page_code(struct heap_arena *a, u32 page)
{
	u32 chunk = page / HEAP_CHUNK_PAGES;
	if (*heap_chunk_code(a, chunk) == HEAP_CODE_BODY)
		return HEAP_CODE_BODY;
	return heap_map_of(a, chunk)->code[page % HEAP_CHUNK_PAGES];
}

/* heap_index.c: codes of pages, chunks and groups. Page number 0 means "none". */

void heap_index_set(struct heap_arena *a, u32 page, u8 code);
/* HEAD and BODY codes for the full pages of a block, or EMPTY again. */
void heap_index_cover(struct heap_arena *a, u32 head, u32 pages, bool on);
/* The lowest page with a gap of that many granules, at most a page. */
u32 heap_index_find_gap(struct heap_arena *a, u32 granules);
/* The lowest run of empty pages: a short one within a chunk, a longer one anywhere. */
u32 heap_index_find_run(struct heap_arena *a, u32 pages);
bool heap_index_empty(struct heap_arena *a, u32 page, u32 pages);
/* From a HEAD or BODY page back to its HEAD. */
u32 heap_index_head(struct heap_arena *a, u32 page);
/* What a chunk's or a group's code must be, from the codes below it. */
u8 heap_index_chunk_summary(struct heap_arena *a, u32 chunk);
u8 heap_index_group_summary(struct heap_arena *a, u32 group);

/* heap_block.c: blocks as ranges of granules; a granule is named by page number * 256 + place. */

struct heap_block {
	u64 at;
	u64 granules;
};
/* The lowest place by the rules; 0 when there is none. align in bytes. */
u64 heap_block_place(struct heap_arena *a, u64 granules, u64 align);
/* Could a block lie there, as things are? */
bool heap_block_fits(struct heap_arena *a, struct heap_block b);
void heap_block_mark(struct heap_arena *a, struct heap_block b);
void heap_block_unmark(struct heap_arena *a, struct heap_block b);
/* The live block that covers a granule. */
bool heap_block_find(struct heap_arena *a, u64 at, struct heap_block *ret_block);
/* The code of a page that has bits. */
u8 heap_block_line_code(const struct heap_line *line);

/* heap_retired.c: those that other fibers have given back, which no later one may overlap. */

/* Of a fiber: the blocks that it has set aside last, of whichever arena, newest last: heap_aside.c. */
#define HEAP_MAX_ASIDE 16u
struct heap_retired {
	u64 count;
	u64 bytes;
	u64 asides;
	u64 aside[HEAP_MAX_ASIDE]; /* addresses */
	u64 bit[];                 /* per granule: a retired block starts there */
};
struct heap_retired *heap_retired_of(struct heap_arena *a);
bool heap_retired_has(struct heap_arena *a, u64 at);
/* False: there is no room. */
bool heap_retired_put(struct heap_arena *a, struct heap_block b);
/* It does not count as given back any more. */
void heap_retired_remove(struct heap_arena *a, struct heap_block b);

/* heap.c */

/* The arena and granule of an address among the data pages; NULL for any other. */
struct heap_arena *heap_locate(const void *p, u64 *ret_at);
/* How many granules a block of so many bytes has; 0 when no arena could hold it. */
u64 heap_granules_for(size_t size);
/* The start of a live block, or why not. */
enum heap_status heap_resolve(const void *p, struct heap_arena **ret_arena, struct heap_block *ret_block);
/* Gives the block's memory back to its arena; and what a free leaves behind: zeroes. */
void heap_release(struct heap_arena *a, struct heap_block b);
void heap_wipe(struct heap_arena *a, struct heap_block b);

#endif
