/*
 * heap_check.c: the truth about an arena, recomputed from the bottom. Slow and complete
 * for the part of the arena in use; the numbers are those of the invariants in heap.c.
 */
#include "runtime/heap/heap.h"
#include "runtime/heap/heap_bits.h"
#include "runtime/heap/heap_priv.h"

struct check {
	struct heap_arena *a;
	u32 page;          /* next to look at */
	u32 rest;          /* granules of it that a block from before still covers */
	u64 granules;      /* in blocks so far */
	u64 retired;       /* blocks, of them */
	const char *wrong; /* the first thing that is */
};

static bool expect(struct check *c, bool holds, const char *what)
{
	if (!holds && !c->wrong)
		c->wrong = what;
	return holds;
}

static bool zero(const void *p, u64 bytes)
{
	const char *b = p;
	for (u64 i = 0; i < bytes; i++)
		if (b[i])
			return false;
	return true;
}

static void check_retired(struct check *c, u64 at)
{
	struct heap_block b;
	if (!heap_retired_has(c->a, at))
		return;
	c->retired++;
	if (expect(c, heap_block_find(c->a, at, &b) && b.at == at, "6: what retired is no block"))
		expect(c, zero(heap_granule_address(c->a, at), b.granules * HEAP_GRANULE),
		       "6: a retired block is not zero");
}

static void check_gaps(struct check *c, const struct heap_line *line)
{
	for (u32 bit = 0; bit < HEAP_PAGE_GRANULES; bit++) {
		u64 at = (u64)c->page * HEAP_PAGE_GRANULES + bit;
		check_retired(c, at);
		if (!bits_has(line->used, bit))
			expect(c, zero(heap_granule_address(c->a, at), HEAP_GRANULE),
			       "6: free memory is not zero");
	}
}

static void check_bits(struct check *c, u8 code)
{
	const struct heap_line *line = heap_line_of(c->a, c->page);
	for (u32 i = 0; i < 4; i++)
		expect(c, !(line->start[i] & ~line->used[i]), "1: a block starts on a free granule");
	if (!bits_empty(line->used))
		c->granules += HEAP_PAGE_GRANULES - bits_count_gaps(line->used);
	u32 first = bits_next(line->start, 0);
	u32 leading = HD_MIN(bits_next_gap(line->used, 0), first);
	expect(c, leading == c->rest, "1: used granules before the first start are not the rest of a block");
	expect(c, bits_next(line->used, leading) >= first, "1: used granules belong to no block");
	expect(c, code == heap_block_line_code(line), "1: page code does not tell the longest gap");
	check_gaps(c, line);
	c->rest = 0;
	c->page++;
}

/* A later page of a block: BODY, and no bits. Of a covered chunk the whole map is zero. */
static void check_body(struct check *c, u32 page)
{
	u32 chunk = page / HEAP_CHUNK_PAGES;
	bool covered = *heap_chunk_code(c->a, chunk) == HEAP_CODE_BODY;
	expect(c, heap_page_code(c->a, page) == HEAP_CODE_BODY, "2: block goes on where no BODY is");
	expect(c, zero(heap_line_of(c->a, page), sizeof(struct heap_line)), "2: BODY page has bits");
	if (covered && page % HEAP_CHUNK_PAGES == 0)
		expect(c, zero(heap_map_of(c->a, chunk), HD_PAGE), "3: map of a covered chunk is not zero");
}

static void check_head(struct check *c)
{
	const struct heap_line *line = heap_line_of(c->a, c->page);
	u64 granules = line->used[0], pages = granules / HEAP_PAGE_GRANULES;
	expect(c, c->rest == 0, "1: block begins where another goes on");
	expect(c, granules > HEAP_PAGE_GRANULES, "2: HEAD of a block within a page");
	expect(c, zero(&line->used[1], sizeof(*line) - sizeof(u64)), "2: HEAD page has bits");
	if (!expect(c, pages && pages <= heap_layout.end_page - c->page,
		    "2: block goes past the arena's end"))
		return;
	check_retired(c, (u64)c->page * HEAP_PAGE_GRANULES);
	for (u32 i = 1; i < pages; i++)
		check_body(c, c->page + i);
	c->granules += pages * HEAP_PAGE_GRANULES;
	c->page += (u32)pages;
	c->rest = (u32)(granules % HEAP_PAGE_GRANULES);
}

static void check_page(struct check *c)
{
	u8 code = heap_page_code(c->a, c->page);
	if (code == HEAP_CODE_HEAD)
		check_head(c);
	else if (expect(c, code != HEAP_CODE_BODY, "2: BODY without HEAD"))
		check_bits(c, code);
}

/* Pages of an empty chunk are zero; to look would make the kernel map them, so that is taken on trust. */
static void check_pages(struct check *c)
{
	while (c->page < heap_layout.end_page && !c->wrong) {
		u32 chunk = c->page / HEAP_CHUNK_PAGES;
		if (*heap_chunk_code(c->a, chunk) != HEAP_CODE_EMPTY) {
			check_page(c);
			continue;
		}
		expect(c, c->rest == 0, "1: rest of a block in an empty chunk");
		c->page = (chunk + 1) * HEAP_CHUNK_PAGES;
	}
}

static void check_index(struct check *c)
{
	for (u32 chunk = 0; chunk < heap_layout.chunks; chunk++) {
		u8 code = *heap_chunk_code(c->a, chunk);
		if (code != HEAP_CODE_EMPTY && code != HEAP_CODE_BODY)
			expect(c, code == heap_index_chunk_summary(c->a, chunk),
			       "3: chunk code is no summary");
	}
	for (u32 group = 0; group < heap_layout.groups; group++)
		expect(c, heap_group_sums(c->a)[group] == heap_index_group_summary(c->a, group),
		       "4: group code is not the least of its chunks'");
}

const char *heap_check(u32 arena)
{
	struct check c = {.a = heap_arena_at(arena), .page = HEAP_FIRST_PAGE};
	check_pages(&c);
	check_index(&c);
	expect(&c, c.rest == 0, "2: block goes past the arena's end");
	if (!c.wrong)
		expect(&c, c.a->live == c.granules * HEAP_GRANULE,
		       "5: live bytes are not the sum of the blocks'");
	expect(&c, c.wrong || c.retired == heap_retired_of(c.a)->count,
	       "6: another number of blocks retired");
	expect(&c, zero(c.a->spare, sizeof(c.a->spare)), "7: header has more than it should");
	return c.wrong;
}
