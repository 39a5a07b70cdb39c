/*
 * heap.c: the canonical allocator. This file has the essay, the set-up and the entry points.
 *
 * Purpose. Two schedules that lead to the same program state must lead to the same
 * bytes, or the checker explores the state twice. An ordinary malloc fails that: free
 * lists, rovers and counters remember the order of calls. Here the bookkeeping of an
 * arena is a function of its live blocks, and a block's place is a function of the
 * bookkeeping at the time of the call. The only history left is the one the program
 * itself can see: the addresses it holds.
 *
 * Strategy. Address-ordered first fit, on granules of 16 bytes, with no size classes:
 * a dozen blocks of a dozen sizes share one page. Bookkeeping is out of line, so a
 * program that writes past its block damages its own data, not ours.
 *
 *   arena   | map 0 | map 1 | … | chunk codes, group codes | retired | data pages …  |
 *   map     | 63 page codes | 63 lines: per page 256 used bits, 256 start bits        |
 *   map 0   | 61 page codes | live bytes | codes of chunks 0-63 | 61 lines            |
 *
 * A page code is one byte: how long the page's longest gap is (heap_priv.h). 63 pages
 * are a chunk; its code is the least of theirs, or tells its longest run of empty pages.
 * 64 chunks are a group, its code is the least of theirs. So the lowest gap of n
 * granules, or run of pages, is found by a look at one row of 64 bytes per level. All
 * offsets follow from the stride; memory that was never needed is never written.
 *
 * Placement. A block of at most a page: the lowest page with a gap that is long enough, and the
 * lowest place in it. A longer one starts at a page: the lowest run of empty pages (up
 * to 30 pages: within a chunk); what is left of its last page is free for small ones.
 * Gaps of more than HEAP_GAP_MAX granules all have one code, so a block longer than that takes
 * an empty page. Wide alignment asks for a gap that is surely enough.
 *
 * Price of a step. A small malloc or free changes its block, one line, the live bytes
 * and sometimes codes: for the first 16 MB all in map 0 and the map of the block's chunk. A
 * dozen small blocks are two pages in all. A block of several pages costs a byte per page
 * in the chunks at its ends and a byte per chunk (252 KB) in between.
 *
 * Invariants, checked by heap_check:
 *   1. A page with bits: start bits are used bits. Used bits before the first start are
 *      the rest of the block of the HEAD before it, and the page's code tells the longest gap.
 *   2. A HEAD page's line holds the block's granules, more than a page, and nothing else. BODY
 *      follows on each further full page, and their lines are zero.
 *   3. A chunk's code is the summary of its pages' codes; or it is BODY: all pages
 *      belong to one block that began in an earlier chunk, and the map is all zero.
 *   4. A group's code is the least of its chunks' codes.
 *   5. live is the sum of the bytes of all blocks, the retired ones included.
 *   6. Free granules are zero, and so are retired blocks; these are counted.
 *   7. So every byte outside of the blocks follows from their places and sizes, and an
 *      arena with no block is all zero, like memory never touched.
 *
 * What may remember. `peak` below is no state: an upper bound of the live bytes each
 * arena had in any state this process was in. Backtracking leaves it valid, and it
 * only saves work: no result depends on it. (A process that took over states it has not
 * run itself would have to raise it.)
 *
 * Retired blocks. If the place of a block that another fiber gave back could be used again, the owner's next
 * block would lie there or elsewhere, as the one or the other was faster: every later state twice, and a
 * free that does not commute with the owner's malloc. A reference count that whoever comes last frees makes
 * many of them. So such a place is not used again, which any allocator may decide. Up to a number:
 * programs that hand blocks over for ever would have ever new states. Then they want it the other way.
 *
 * Blocks set aside. A real allocator hands a place out again at once, and a stale pointer to it then looks
 * like one to the new block (ABA). Where that could matter (sched/recycle.h), given back blocks of any owner
 * are set aside (heap_aside.c): they have retired, and the one who gave them back, or their owner, may take
 * them again.
 *
 * Given up: with no trace, "freed before" and "never allocated" look the same: an address where a block could
 * start counts as freed. Blocks touch each other: an overrun into a neighbour shows only to a
 * hook that knows which block was meant.
 */
#include "runtime/heap/heap.h"
#include "runtime/heap/heap_priv.h"

struct heap_layout heap_layout;

static u64 peak[HEAP_MAX_ARENAS];
static u64 peak_sum;

void heap_setup(u64 base, u64 stride, u32 arenas, u64 limit)
{
	hd_assert(base % HD_PAGE == 0 && stride >= 16 * HD_PAGE && (stride & (stride - 1)) == 0);
	hd_assert(arenas > 0 && arenas <= HEAP_MAX_ARENAS && stride >> 44 == 0);
	struct heap_layout *l = &heap_layout;
	u64 pages = stride / HD_PAGE;
	*l = (struct heap_layout){.base = base, .stride = stride, .arenas = arenas, .limit = limit};
	l->stride_shift = (u32)__builtin_ctzl(stride);
	l->chunks = (u32)HD_ROUND_UP(pages, 64) / 64;
	l->groups = HD_ROUND_UP(l->chunks, 64) / 64;
	l->group_off = (u64)l->chunks * HD_PAGE;
	l->sum_off = l->group_off + (u64)l->groups * 64;
	l->retires = true;
	l->retired_off = HD_ROUND_UP(l->sum_off + HD_ROUND_UP(l->groups, 64), HD_PAGE);
	l->retired_granules = HD_MIN(stride / HEAP_GRANULE, (u64)HEAP_RETIRED_GRANULES);
	l->data_off = HD_ROUND_UP(l->retired_off + sizeof(struct heap_retired) + l->retired_granules / 8,
				  HD_PAGE);
	u64 data_pages = (stride - l->data_off) / HD_PAGE;
	l->end_page = (u32)HD_MIN(data_pages + HEAP_FIRST_PAGE, (u64)l->chunks * HEAP_CHUNK_PAGES);
	__builtin_memset(peak, 0, sizeof(peak));
	peak_sum = 0;
}

bool heap_is_bookkeeping(u64 address)
{
	u64 offset = address - heap_layout.base;
	return offset < heap_layout.stride * heap_layout.arenas &&
	       offset % heap_layout.stride < heap_layout.data_off;
}

bool heap_is_about_retired(u64 address)
{
	u64 offset = address - heap_layout.base;
	return heap_is_bookkeeping(address) && offset % heap_layout.stride >= heap_layout.retired_off;
}

void heap_retire(bool on)
{
	heap_layout.retires = on;
}

u64 heap_live_bytes(void)
{
	u64 sum = 0;
	for (u32 i = 0; i < heap_layout.arenas; i++)
		sum += heap_arena_at(i)->live - heap_retired_of(heap_arena_at(i))->bytes;
	return sum;
}

/* May this arena have `more` bytes? The sum of all arenas is read only when the bound does not settle it. */
static bool take_bytes(struct heap_arena *a, u64 more)
{
	u32 i = (u32)(((u64)a - heap_layout.base) >> heap_layout.stride_shift);
	u64 want = a->live + more;
	u64 bound = peak_sum - peak[i] + HD_MAX(want, peak[i]);
	if (heap_layout.limit && bound > heap_layout.limit && heap_live_bytes() + more > heap_layout.limit)
		return false;
	peak_sum = bound;
	peak[i] = HD_MAX(want, peak[i]);
	return true;
}

u64 heap_granules_for(size_t size)
{
	if (size > heap_layout.stride)
		return 0;
	return size ? HD_ROUND_UP(size, HEAP_GRANULE) / HEAP_GRANULE : 1;
}

void *heap_alloc(u32 arena, size_t size, size_t align)
{
	hd_assert(arena < heap_layout.arenas && align && (align & (align - 1)) == 0);
	struct heap_arena *a = heap_arena_at(arena);
	struct heap_block b = {.granules = heap_granules_for(size)};
	if (!b.granules)
		return NULL;
	b.at = heap_block_place(a, b.granules, align);
	if (!b.at || !take_bytes(a, b.granules * HEAP_GRANULE))
		return NULL;
	heap_block_mark(a, b);
	a->live += b.granules * HEAP_GRANULE;
	return heap_granule_address(a, b.at);
}

struct heap_arena *heap_locate(const void *p, u64 *ret_at)
{
	u64 offset = (u64)p - heap_layout.base;
	u64 arena = offset >> heap_layout.stride_shift;
	u64 inside = offset & (heap_layout.stride - 1);
	if ((u64)p < heap_layout.base || arena >= heap_layout.arenas || inside < heap_layout.data_off)
		return NULL;
	*ret_at = (inside - heap_layout.data_off) / HEAP_GRANULE + HEAP_FIRST_GRANULE;
	if (*ret_at / HEAP_PAGE_GRANULES >= heap_layout.end_page)
		return NULL;
	return heap_arena_at((u32)arena);
}

static bool find_live(struct heap_arena *a, u64 at, struct heap_block *ret_block)
{
	return heap_block_find(a, at, ret_block) && !heap_retired_has(a, ret_block->at);
}

enum heap_status heap_resolve(const void *p, struct heap_arena **ret_arena, struct heap_block *ret_block)
{
	u64 at;
	bool aligned = (u64)p % HEAP_GRANULE == 0;
	struct heap_arena *a = heap_locate(p, &at);
	if (!a)
		return HEAP_NOT_A_BLOCK;
	if (!find_live(a, at, ret_block))
		return aligned ? HEAP_ALREADY_FREE : HEAP_NOT_A_BLOCK;
	if (!aligned || ret_block->at != at)
		return HEAP_INSIDE_BLOCK;
	*ret_arena = a;
	return HEAP_OK;
}

typedef u64 __attribute__((may_alias)) any_word;

static bool all_zero(const char *p, u64 bytes)
{
	for (const any_word *w = (const any_word *)p, *end = (const any_word *)(p + bytes); w < end; w++)
		if (*w)
			return false;
	return true;
}

/* Small blocks are many: for them a loop beats the start-up of memset's string instructions. */
static void set_zero(char *p, u64 bytes)
{
	if (bytes > 256) {
		__builtin_memset(p, 0, bytes);
		return;
	}
	for (any_word *w = (any_word *)p, *end = (any_word *)(p + bytes); w < end; w++)
		*w = 0;
}

static u64 to_page_end(const char *p, u64 bytes)
{
	return HD_MIN(bytes, HD_PAGE - ((u64)p & HD_PAGE_MASK));
}

/* Page by page, so that pages that are zero anyway don't become hot. */
static void wipe(char *p, u64 bytes)
{
	for (u64 n; bytes; p += n, bytes -= n) {
		n = to_page_end(p, bytes);
		if (!all_zero(p, n))
			set_zero(p, n);
	}
}

/* Onto fresh memory: zero pages need no copy. */
static void copy(char *to, const char *from, u64 bytes)
{
	for (u64 n; bytes; to += n, from += n, bytes -= n) {
		n = to_page_end(from, bytes);
		if (!all_zero(from, n))
			__builtin_memcpy(to, from, n);
	}
}

/* Is it for its owner alone to use the place again? */
static bool is_to_retire(u32 arena, const struct heap_arena *a)
{
	return heap_layout.retires && a != heap_arena_at(arena);
}

void heap_wipe(struct heap_arena *a, struct heap_block b)
{
	wipe(heap_granule_address(a, b.at), b.granules * HEAP_GRANULE);
}

void heap_release(struct heap_arena *a, struct heap_block b)
{
	heap_block_unmark(a, b);
	a->live -= b.granules * HEAP_GRANULE;
}

static enum heap_status release(u32 arena, struct heap_arena *a, struct heap_block b)
{
	bool retire = is_to_retire(arena, a);
	heap_wipe(a, b);
	if (retire && heap_retired_put(a, b))
		return HEAP_OK;
	heap_release(a, b);
	return retire ? HEAP_REUSED : HEAP_OK;
}

enum heap_status heap_free(u32 arena, void *p)
{
	struct heap_arena *a;
	struct heap_block b;
	if (!p)
		return HEAP_OK;
	__builtin_prefetch(p, 1); /* while its bits are looked up */
	enum heap_status status = heap_resolve(p, &a, &b);
	return status == HEAP_OK ? release(arena, a, b) : status;
}

/* The old block's marks are taken out first, so that it is no obstacle to itself. */
static bool resize_in_place(struct heap_arena *a, struct heap_block b, u64 granules)
{
	struct heap_block resized = {b.at, granules};
	heap_block_unmark(a, b);
	bool grows = granules > b.granules;
	bool ok = heap_block_fits(a, resized) &&
		  (!grows || take_bytes(a, (granules - b.granules) * HEAP_GRANULE));
	heap_block_mark(a, ok ? resized : b);
	if (!ok)
		return false;
	if (!grows)
		wipe(heap_granule_address(a, b.at + granules), (b.granules - granules) * HEAP_GRANULE);
	a->live += (granules - b.granules) * HEAP_GRANULE;
	return true;
}

/* Bytes of the last granule beyond what was asked for: a shorter block must not keep what it lost. */
static void wipe_slack(char *p, u64 size, u64 granules)
{
	for (u64 i = size; i < granules * HEAP_GRANULE; i++)
		if (p[i])
			p[i] = 0;
}

void *heap_realloc(u32 arena, void *p, size_t size, enum heap_status *status)
{
	struct heap_arena *a;
	struct heap_block b;
	*status = HEAP_OK;
	if (!p)
		return heap_alloc(arena, size, 1);
	*status = heap_resolve(p, &a, &b);
	u64 granules = heap_granules_for(size);
	if (*status != HEAP_OK || !granules)
		return NULL;
	if (granules == b.granules || (!is_to_retire(arena, a) && resize_in_place(a, b, granules))) {
		wipe_slack(p, size, granules);
		return p;
	}
	void *moved = heap_alloc(arena, size, 1);
	if (!moved)
		return NULL;
	copy(moved, p, HD_MIN(granules, b.granules) * HEAP_GRANULE);
	*status = release(arena, a, b);
	return moved;
}

size_t heap_usable(const void *p)
{
	struct heap_arena *a;
	struct heap_block b;
	return heap_resolve(p, &a, &b) == HEAP_OK ? b.granules * HEAP_GRANULE : 0;
}

bool heap_find(const void *p, u64 *start, u64 *size)
{
	u64 at;
	struct heap_block b;
	struct heap_arena *a = heap_locate(p, &at);
	if (!a || !find_live(a, at, &b))
		return false;
	*start = (u64)heap_granule_address(a, b.at);
	*size = b.granules * HEAP_GRANULE;
	return true;
}
