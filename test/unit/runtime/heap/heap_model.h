/*
 * heap_model.h: where the heap must put a block, found the slow way: one bool per
 * granule of arena 0, searched from the start, by the rules in heap.c ("Placement").
 */
#ifndef HEDDLE_TEST_HEAP_MODEL_H
#define HEDDLE_TEST_HEAP_MODEL_H

static struct {
	char *memory; /* of arena 0 */
	bool *used;   /* by granule number */
	u64 end;
} model;

static void model_open(char *memory)
{
	model.memory = memory;
	model.end = (u64)heap_layout.end_page * 256;
	model.used = calloc(model.end, 1);
	assert_non_null(model.used);
	memset(model.used, 1, HEAP_FIRST_GRANULE);
}

static u64 model_gap(u64 at, u64 end)
{
	u64 n = 0;
	while (at + n < end && !model.used[at + n])
		n++;
	return n;
}

static u64 model_place_in_page(u64 n, u64 align)
{
	u64 need = HD_MIN(n + align - 1, 256);
	for (u64 page = 0; page < model.end; page += 256) {
		u64 longest = 0;
		for (u64 at = page, gap; at < page + 256; at += gap + 1) {
			gap = model_gap(at, page + 256);
			longest = HD_MAX(longest, gap);
		}
		if (longest < need || (need > HEAP_GAP_MAX && longest < 256))
			continue;
		for (u64 at = page; at < page + 256; at += align)
			if (model_gap(at, page + 256) >= n)
				return at;
	}
	return 0;
}

static u64 model_place_on_pages(u64 n, u64 align_pages)
{
	u64 pages = (n + 255) / 256 + align_pages - 1;
	for (u64 page = 0; page + pages <= model.end / 256; page++) {
		if (pages <= 30 && page / 63 != (page + pages - 1) / 63)
			continue;
		if (model_gap(page * 256, (page + pages) * 256) < pages * 256)
			continue;
		u64 address = (u64)model.memory + heap_layout.data_off + (page - HEAP_FIRST_PAGE) * 4096;
		while (address % (align_pages * 4096)) {
			address += 4096;
			page++;
		}
		return page * 256;
	}
	return 0;
}

/* The address the rules demand in arena 0; NULL when it is full. */
static char *model_place(size_t size, size_t align)
{
	u64 n = size ? (size + 15) / 16 : 1;
	u64 at = n <= 256 && align <= 4096 ? model_place_in_page(n, HD_MAX(align / 16, 1))
					   : model_place_on_pages(n, HD_MAX(align / 4096, 1));
	return at ? model.memory + heap_layout.data_off + (at - HEAP_FIRST_GRANULE) * 16 : NULL;
}

static void model_set(const char *p, size_t size, bool used)
{
	u64 at = (u64)(p - model.memory - heap_layout.data_off) / 16 + HEAP_FIRST_GRANULE;
	u64 n = size ? (size + 15) / 16 : 1;
	for (u64 i = at; i < at + n; i++) {
		assert_int_equal(model.used[i], !used);
		model.used[i] = used;
	}
}

static void model_close(void)
{
	free(model.used);
}

#endif
