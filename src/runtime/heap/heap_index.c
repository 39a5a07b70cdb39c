/*
 * heap_index.c: which pages have how much room. Three levels of codes, each byte the
 * summary of 63 or 64 bytes below it, so the lowest page with a big enough gap is found
 * by reading one row per level. See heap.c for the rules.
 *
 * A byte is written only when it changes: an equal write would still cost a page fault
 * and a page to compare.
 */
#include "runtime/heap/heap_bits.h"
#include "runtime/heap/heap_priv.h"

#define ALL_SLOTS (~0UL >> 1)
#define NO_CHUNK (~0u)
/* Runs up to this stay within a chunk, where the codes find them at once. Two always fit. */
#define SHORT_RUN 30u

/* Slots that are no pages: the last byte of each map, and in chunk 0 the header. */
static const u8 ignore_none[64];
static const u8 ignore_last[64] = {[63] = 0xff};
static const u8 ignore_header[64] = {[0] = 0xff, [1] = 0xff, [63] = 0xff};
_Static_assert(HEAP_FIRST_PAGE == 2, "ignore_header says so, too");

static u64 slots_of(u32 chunk)
{
	return chunk ? ALL_SLOTS : ALL_SLOTS & ~0UL << HEAP_FIRST_PAGE;
}

u8 heap_index_chunk_summary(struct heap_arena *a, u32 chunk)
{
	const u8 *codes = heap_map_of(a, chunk)->code;
	u64 empty = row_at_most(codes, HEAP_CODE_EMPTY) & slots_of(chunk);
	if (!empty)
		return row_min(codes, chunk ? ignore_last : ignore_header);
	if (empty == slots_of(chunk))
		return HEAP_CODE_EMPTY;
	return (u8)(HEAP_CHUNK_PAGES - word_longest_ones(empty));
}

u8 heap_index_group_summary(struct heap_arena *a, u32 group)
{
	return row_min(heap_group_codes(a, group), ignore_none);
}

static void set_chunk(struct heap_arena *a, u32 chunk, u8 code)
{
	u8 *row = heap_group_codes(a, chunk / 64), *sum = &heap_group_sums(a)[chunk / 64];
	if (row[chunk % 64] == code)
		return;
	row[chunk % 64] = code;
	/* While a group fills up from below, its last chunk is empty: nothing is less. */
	if (*sum == HEAP_CODE_EMPTY && row[63] == HEAP_CODE_EMPTY)
		return;
	u8 least = heap_index_group_summary(a, chunk / 64);
	if (*sum != least)
		*sum = least;
}

void heap_index_set(struct heap_arena *a, u32 page, u8 code)
{
	u32 chunk = page / HEAP_CHUNK_PAGES;
	u8 *here = &heap_map_of(a, chunk)->code[page % HEAP_CHUNK_PAGES];
	u8 old = *here, above = *heap_chunk_code(a, chunk);
	if (old == code)
		return;
	*here = code;
	/* The chunk's least code lies elsewhere. */
	if (old > above && code > above)
		return;
	set_chunk(a, chunk, heap_index_chunk_summary(a, chunk));
}

void heap_index_cover(struct heap_arena *a, u32 head, u32 pages, bool on)
{
	u32 end = head + pages;
	u8 body = on ? HEAP_CODE_BODY : HEAP_CODE_EMPTY;
	for (u32 page = head, n; page < end; page += n) {
		u32 chunk = page / HEAP_CHUNK_PAGES, slot = page % HEAP_CHUNK_PAGES;
		n = HD_MIN(HEAP_CHUNK_PAGES - slot, end - page);
		if (n == HEAP_CHUNK_PAGES && page != head) {
			set_chunk(a, chunk, body);
			continue;
		}
		u8 *codes = heap_map_of(a, chunk)->code;
		__builtin_memset(codes + slot, body, n);
		if (page == head && on)
			codes[slot] = HEAP_CODE_HEAD;
		set_chunk(a, chunk, heap_index_chunk_summary(a, chunk));
	}
}

/* The lowest group from `group` on with a code at most `limit`. */
static u32 next_group(struct heap_arena *a, u32 group, u8 limit)
{
	for (u32 row = group / 64 * 64; row < heap_layout.groups; row += 64) {
		u64 mask = row_at_most(heap_group_sums(a) + row, limit);
		if (row < group)
			mask &= ~0UL << group % 64;
		if (mask)
			return row + (u32)__builtin_ctzl(mask);
	}
	return NO_CHUNK;
}

/* The lowest chunk from `chunk` on with a code at most `limit`. */
static u32 next_chunk(struct heap_arena *a, u32 chunk, u8 limit)
{
	u32 group = chunk / 64;
	if (chunk >= heap_layout.chunks)
		return NO_CHUNK;
	u64 mask = row_at_most(heap_group_codes(a, group), limit) & ~0UL << chunk % 64;
	if (!mask) {
		group = next_group(a, group + 1, limit);
		if (group >= heap_layout.groups)
			return NO_CHUNK;
		mask = row_at_most(heap_group_codes(a, group), limit);
	}
	chunk = group * 64 + (u32)__builtin_ctzl(mask);
	return chunk < heap_layout.chunks ? chunk : NO_CHUNK;
}

u32 heap_index_find_gap(struct heap_arena *a, u32 granules)
{
	u8 limit = granules <= HEAP_GAP_MAX ? (u8)(HEAP_CODE_FULL - granules) : HEAP_CODE_ONE_EMPTY;
	u32 chunk = next_chunk(a, 0, limit);
	if (chunk == NO_CHUNK)
		return 0;
	u64 mask = row_at_most(heap_map_of(a, chunk)->code, limit) & slots_of(chunk);
	hd_assert(mask);
	u32 page = chunk * HEAP_CHUNK_PAGES + (u32)__builtin_ctzl(mask);
	return page < heap_layout.end_page ? page : 0;
}

/* Empty pages of a chunk that is not covered. An empty chunk's map is not even read. */
static u64 empty_slots(struct heap_arena *a, u32 chunk)
{
	if (*heap_chunk_code(a, chunk) == HEAP_CODE_EMPTY)
		return slots_of(chunk);
	return row_at_most(heap_map_of(a, chunk)->code, HEAP_CODE_EMPTY) & slots_of(chunk);
}

static u32 find_run_in_chunk(struct heap_arena *a, u32 pages)
{
	u32 chunk = next_chunk(a, 0, (u8)(HEAP_CHUNK_PAGES - pages));
	if (chunk == NO_CHUNK)
		return 0;
	u32 slot = word_find_ones(empty_slots(a, chunk), pages);
	hd_assert(slot < 64);
	return chunk * HEAP_CHUNK_PAGES + slot;
}

/* Over chunks; `before` counts the empty pages right before a chunk. */
static u32 find_run_anywhere(struct heap_arena *a, u32 pages)
{
	u32 before = 0, expected = 0;
	for (u32 c = next_chunk(a, 0, HEAP_CODE_ONE_EMPTY); c != NO_CHUNK;
	     c = next_chunk(a, c + 1, HEAP_CODE_ONE_EMPTY)) {
		u64 empty = empty_slots(a, c);
		if (c != expected)
			before = 0;
		expected = c + 1;
		if (before + (u32)__builtin_ctzl(~empty) >= pages)
			return c * HEAP_CHUNK_PAGES - before;
		if (empty == ALL_SLOTS) {
			before += HEAP_CHUNK_PAGES;
			continue;
		}
		u32 slot = pages < 64 ? word_find_ones(empty, pages) : 64;
		if (slot < 64)
			return c * HEAP_CHUNK_PAGES + slot;
		before = (u32)__builtin_clzl(~(empty << 1));
	}
	return 0;
}

/* The lowest run may be one that the arena's end cuts short: then no higher one fits, either. */
u32 heap_index_find_run(struct heap_arena *a, u32 pages)
{
	u32 page = pages <= SHORT_RUN ? find_run_in_chunk(a, pages) : find_run_anywhere(a, pages);
	return page && pages <= heap_layout.end_page - page ? page : 0;
}

bool heap_index_empty(struct heap_arena *a, u32 page, u32 pages)
{
	if (page > heap_layout.end_page || pages > heap_layout.end_page - page)
		return false;
	for (u32 end = page + pages, n; page < end; page += n) {
		u32 chunk = page / HEAP_CHUNK_PAGES, slot = page % HEAP_CHUNK_PAGES;
		n = HD_MIN(HEAP_CHUNK_PAGES - slot, end - page);
		u64 wanted = (~0UL >> (64 - n)) << slot;
		if (*heap_chunk_code(a, chunk) > HEAP_CODE_ONE_EMPTY || wanted & ~empty_slots(a, chunk))
			return false;
	}
	return true;
}

/* Back over chunks that one block covers wholly. */
static u32 skip_covered(struct heap_arena *a, u32 chunk)
{
	while (*heap_chunk_code(a, chunk) == HEAP_CODE_BODY) {
		bool whole_group = chunk % 64 == 63 && heap_group_sums(a)[chunk / 64] == HEAP_CODE_BODY;
		u32 back = whole_group ? 64 : 1;
		hd_assert(chunk >= back);
		chunk -= back;
	}
	return chunk;
}

u32 heap_index_head(struct heap_arena *a, u32 page)
{
	u32 chunk = page / HEAP_CHUNK_PAGES, slot = page % HEAP_CHUNK_PAGES;
	for (;;) {
		u32 outside = skip_covered(a, chunk);
		if (outside != chunk)
			slot = HEAP_CHUNK_PAGES - 1;
		chunk = outside;
		const u8 *codes = heap_map_of(a, chunk)->code;
		u64 heads = row_at_most(codes, HEAP_CODE_HEAD) & ~0UL >> (63 - slot);
		if (heads) {
			slot = 63 - (u32)__builtin_clzl(heads);
			hd_assert(codes[slot] == HEAP_CODE_HEAD);
			return chunk * HEAP_CHUNK_PAGES + slot;
		}
		hd_assert(chunk);
		chunk--;
		slot = HEAP_CHUNK_PAGES - 1;
	}
}
