/*
 * heap_block.c: blocks as ranges of granules, and where they go. A block of at most a
 * page lies within one page, as bits in its line. A longer one starts at a page: HEAD,
 * BODY, …, and what is left over are the first granules of an ordinary page, used but
 * with no start of their own.
 *
 *   pages   |  bits   |  HEAD   |  BODY   |  BODY   |  bits   |  EMPTY  |
 *   blocks   [a][b]    [c---------------------------------][d]
 */
#include "runtime/heap/heap_bits.h"
#include "runtime/heap/heap_priv.h"

static u32 page_of(u64 at)
{
	return (u32)(at / HEAP_PAGE_GRANULES);
}

static u32 bit_of(u64 at)
{
	return (u32)(at % HEAP_PAGE_GRANULES);
}

static bool within_page(struct heap_block b)
{
	return bit_of(b.at) + b.granules <= HEAP_PAGE_GRANULES;
}

static u8 gap_code(u32 gap)
{
	return gap == HEAP_PAGE_GRANULES ? HEAP_CODE_EMPTY : (u8)(HEAP_CODE_FULL - HD_MIN(gap, HEAP_GAP_MAX));
}

u8 heap_block_line_code(const struct heap_line *line)
{
	return bits_empty(line->used) ? HEAP_CODE_EMPTY : gap_code(bits_longest_gap(line->used, 0));
}

/*
 * A gap of `granules` plus what alignment may cost is surely enough, and the index can
 * find it. A tighter fit in a lower page is passed over: still a rule about the live
 * blocks only.
 */
static u64 place_in_page(struct heap_arena *a, u32 granules, u32 align)
{
	u32 page = heap_index_find_gap(a, HD_MIN(granules + align - 1, HEAP_PAGE_GRANULES));
	if (!page)
		return 0;
	u32 bit = bits_find_gap(heap_line_of(a, page)->used, granules, align);
	hd_assert(bit < BITS_NONE);
	return (u64)page * HEAP_PAGE_GRANULES + bit;
}

static u64 place_on_pages(struct heap_arena *a, u64 granules, u64 align)
{
	u64 align_pages = HD_MAX(align / HD_PAGE, 1);
	u64 pages = HD_ROUND_UP(granules, HEAP_PAGE_GRANULES) / HEAP_PAGE_GRANULES;
	u64 enough = pages + align_pages - 1;
	if (enough > heap_layout.end_page)
		return 0;
	u64 page = heap_index_find_run(a, (u32)enough);
	if (!page)
		return 0;
	u64 address = (u64)heap_granule_address(a, page * HEAP_PAGE_GRANULES) / HD_PAGE;
	u64 past_align = address & (align_pages - 1);
	page += past_align ? align_pages - past_align : 0;
	return page * HEAP_PAGE_GRANULES;
}

u64 heap_block_place(struct heap_arena *a, u64 granules, u64 align)
{
	if (granules <= HEAP_PAGE_GRANULES && align <= HD_PAGE)
		return place_in_page(a, (u32)granules, (u32)HD_MAX(align / HEAP_GRANULE, 1));
	return place_on_pages(a, granules, align);
}

/* The first `n` granules from `bit` on are free in a page that is not HEAD or BODY. */
static bool page_fits(struct heap_arena *a, u32 page, u32 bit, u32 n)
{
	if (page >= heap_layout.end_page || heap_page_code(a, page) > HEAP_CODE_FULL)
		return false;
	return bits_next(heap_line_of(a, page)->used, bit) >= bit + n;
}

bool heap_block_fits(struct heap_arena *a, struct heap_block b)
{
	if (within_page(b))
		return page_fits(a, page_of(b.at), bit_of(b.at), (u32)b.granules);
	if (bit_of(b.at) || b.granules / HEAP_PAGE_GRANULES > heap_layout.end_page)
		return false;
	u32 pages = page_of(b.granules), rest = bit_of(b.granules);
	return heap_index_empty(a, page_of(b.at), pages) &&
	       (!rest || page_fits(a, page_of(b.at) + pages, 0, rest));
}

static void flip_bits(struct heap_line *line, u32 bit, u32 granules, bool has_start)
{
	bits_flip(line->used, bit, granules);
	if (has_start)
		bits_flip(line->start, bit, 1);
}

/* The longest gap changes only if it is the one that is cut; codes order gaps the other way round. */
static void mark_in_page(struct heap_arena *a, u64 at, u32 granules, bool has_start)
{
	u32 page = page_of(at), bit = bit_of(at);
	struct heap_line *line = heap_line_of(a, page);
	u32 gap_start = bits_gap_start(line->used, bit), gap_end = bits_next(line->used, bit);
	flip_bits(line, bit, granules, has_start);
	if (gap_code(gap_end - gap_start) > heap_page_code(a, page))
		return;
	u32 left = HD_MAX(bit - gap_start, gap_end - bit - granules);
	heap_index_set(a, page, gap_code(bits_longest_gap(line->used, left)));
}

static void unmark_in_page(struct heap_arena *a, u64 at, u32 granules, bool has_start)
{
	u32 page = page_of(at), bit = bit_of(at);
	struct heap_line *line = heap_line_of(a, page);
	flip_bits(line, bit, granules, has_start);
	u8 joined = gap_code(bits_next(line->used, bit) - bits_gap_start(line->used, bit));
	heap_index_set(a, page, HD_MIN(joined, heap_page_code(a, page)));
}

void heap_block_mark(struct heap_arena *a, struct heap_block b)
{
	u32 rest = bit_of(b.granules);
	if (within_page(b)) {
		mark_in_page(a, b.at, (u32)b.granules, true);
		return;
	}
	heap_index_cover(a, page_of(b.at), page_of(b.granules), true);
	heap_line_of(a, page_of(b.at))->used[0] = b.granules;
	if (rest)
		mark_in_page(a, b.at + b.granules - rest, rest, false);
}

void heap_block_unmark(struct heap_arena *a, struct heap_block b)
{
	u32 rest = bit_of(b.granules);
	if (within_page(b)) {
		unmark_in_page(a, b.at, (u32)b.granules, true);
		return;
	}
	heap_index_cover(a, page_of(b.at), page_of(b.granules), false);
	heap_line_of(a, page_of(b.at))->used[0] = 0;
	if (rest)
		unmark_in_page(a, b.at + b.granules - rest, rest, false);
}

static struct heap_block block_of_head(struct heap_arena *a, u32 page)
{
	return (struct heap_block){(u64)page * HEAP_PAGE_GRANULES, heap_line_of(a, page)->used[0]};
}

/* A block ends where another starts or a gap does. */
static u32 end_in_page(const struct heap_line *line, u32 start)
{
	u64 stops[4];
	for (u32 i = 0; i < 4; i++)
		stops[i] = line->start[i] | ~line->used[i];
	return bits_next(stops, start + 1);
}

bool heap_block_find(struct heap_arena *a, u64 at, struct heap_block *ret_block)
{
	u32 page = page_of(at), bit = bit_of(at);
	u8 code = heap_page_code(a, page);
	if (code >= HEAP_CODE_HEAD) {
		*ret_block = block_of_head(a, heap_index_head(a, page));
		return true;
	}
	const struct heap_line *line = heap_line_of(a, page);
	if (!bits_has(line->used, bit))
		return false;
	u32 start = bits_prev(line->start, bit);
	if (start == BITS_NONE)
		*ret_block = block_of_head(a, heap_index_head(a, page - 1));
	else
		*ret_block = (struct heap_block){(u64)page * HEAP_PAGE_GRANULES + start,
						 end_in_page(line, start) - start};
	return true;
}
