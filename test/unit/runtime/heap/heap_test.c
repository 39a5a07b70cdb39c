/*
 * The canonical allocator, against a simple model of its placement rules, and the
 * promises that state matching rests on: no trace, no history, no influence between arenas.
 * Numbers in test names are the invariants in heap.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "runtime/heap/heap.h"
#include "runtime/heap/heap_priv.h"
#include "heap_model.h"

#define SMALL_STRIDE (4UL << 20)
#define LARGE_STRIDE (16UL << 30)

static char *memory;
static u64 memory_bytes;

static void open_heap(u64 stride, u32 arenas, u64 limit)
{
	memory_bytes = stride * arenas;
	memory = mmap(NULL, memory_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		      -1, 0);
	assert_true(memory != MAP_FAILED);
	heap_setup((u64)memory, stride, arenas, limit);
	heap_retire(false);
}

static int close_heap(void **state)
{
	(void)state;
	if (memory)
		munmap(memory, memory_bytes);
	memory = NULL;
	return 0;
}

static bool is_zero(const char *p, u64 bytes)
{
	return bytes == 0 || (p[0] == 0 && memcmp(p, p + 1, bytes - 1) == 0);
}

static u64 seed;

static u32 random_below(u32 n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (u32)((seed >> 32) * n >> 32);
}

/* Mostly small, now and then several pages, seldom many. */
static size_t random_size(void)
{
	switch (random_below(16)) {
	case 0:
		return random_below(40000);
	case 1:
		return random_below(100) ? random_below(8000) : random_below(300000);
	case 2:
	case 3:
		return random_below(4200);
	default:
		return random_below(200);
	}
}

struct block {
	char *p;
	size_t size;
	u8 fill;
};

static void block_new(struct block *b, char *p, size_t size)
{
	assert_true(is_zero(p, HD_ROUND_UP(size, 16)));
	*b = (struct block){p, size, (u8)(1 + (p - memory) / 16 % 255)};
	memset(p, b->fill, size);
}

static void block_verify(const struct block *b)
{
	u64 start, size;
	if (b->size)
		assert_true(b->p[0] == (char)b->fill && memcmp(b->p, b->p + 1, b->size - 1) == 0);
	size_t usable = heap_usable(b->p);
	assert_true(usable >= b->size && usable < b->size + 17);
	assert_true(heap_find(b->p + random_below((u32)usable), &start, &size));
	assert_true(start == (u64)b->p && size == usable);
}

static void block_free(struct block *b)
{
	block_verify(b);
	assert_int_equal(heap_free(0, b->p), HEAP_OK);
	assert_true(is_zero(b->p, b->size));
	b->p = NULL;
}

static void assert_sound(u32 arena)
{
	const char *wrong = heap_check(arena);
	if (wrong)
		fail_msg("arena %u: %s", arena, wrong);
}

/* Random blocks, each where the model says, and no trace in the end. */
static void compare_with_model(u32 blocks, u32 steps, size_t (*draw_size)(void))
{
	static struct block block[400];
	memset(block, 0, sizeof(block));
	open_heap(SMALL_STRIDE, 1, 0);
	model_open(memory);
	for (u32 step = 0; step < steps; step++) {
		struct block *b = &block[random_below(step < steps / 2 ? blocks : blocks / 4)];
		if (b->p) {
			model_set(b->p, b->size, false);
			block_free(b);
		} else {
			size_t size = draw_size();
			size_t align = random_below(4) ? 1 : (size_t)1 << random_below(16);
			char *p = heap_alloc(0, size, align);
			assert_ptr_equal(p, model_place(size, align));
			assert_true((u64)p % HD_MAX(align, 16) == 0);
			if (p) {
				model_set(p, size, true);
				block_new(b, p, size);
			}
		}
		if (step % 64 == 0)
			assert_sound(0);
	}
	for (u32 i = 0; i < blocks; i++)
		if (block[i].p)
			block_free(&block[i]);
	assert_true(is_zero(memory, memory_bytes));
	model_close();
}

static void every_block_lies_where_the_model_puts_it(void **state)
{
	(void)state;
	seed = 11;
	compare_with_model(400, 4000, random_size);
}

/* Around the number of pages that a chunk can surely hold, and until the arena is full. */
static size_t random_pages(void)
{
	return (random_below(4) ? 26 + random_below(10) : random_below(80)) * 4096 + random_below(4096);
}

static void so_do_blocks_of_many_pages(void **state)
{
	(void)state;
	seed = 12;
	compare_with_model(60, 3000, random_pages);
}

static void resize_random(u32 arena, struct block *b)
{
	enum heap_status status;
	size_t size = random_size();
	size_t kept = HD_MIN(size, b->size);
	char *p = heap_realloc(arena, b->p, size, &status);
	assert_int_equal(status, HEAP_OK);
	assert_non_null(p);
	if (kept)
		assert_true(p[0] == (char)b->fill && memcmp(p, p + 1, kept - 1) == 0);
	assert_true(is_zero(p + kept, heap_usable(p) - kept));
	if (p != b->p)
		assert_int_equal(heap_usable(b->p), 0);
	*b = (struct block){p, size, b->fill};
	memset(p, b->fill, size);
}

/* Random work in one arena that depends on nothing but its own seed. */
struct worker {
	u64 seed;
	u32 arena;
	struct block block[200];
};

static void work(struct worker *w)
{
	u64 outer = seed;
	seed = w->seed;
	struct block *b = &w->block[random_below(200)];
	u32 what = random_below(5);
	if (!b->p) {
		size_t size = random_size();
		block_new(b, heap_alloc(w->arena, size, 1), size);
	} else if (what < 2) {
		resize_random(w->arena, b);
	} else {
		block_free(b);
	}
	w->seed = seed;
	seed = outer;
}

static void work_done(struct worker *w)
{
	for (u32 i = 0; i < 200; i++)
		if (w->block[i].p)
			block_free(&w->block[i]);
}

static void after_all_is_freed_no_byte_is_left_7(void **state)
{
	(void)state;
	static struct worker w;
	open_heap(SMALL_STRIDE, 2, 0);
	for (u32 round = 0; round < 4; round++) {
		w = (struct worker){.seed = 100 + round, .arena = round % 2};
		for (u32 i = 0; i < 1000; i++) {
			work(&w);
			if (i % 50 == 0)
				assert_sound(w.arena);
		}
		assert_true(heap_live_bytes() > 0);
		work_done(&w);
		assert_int_equal(heap_live_bytes(), 0);
		assert_true(is_zero(memory, memory_bytes));
	}
}

/* Two arenas' work in the order that `pattern` says; the bytes of all the memory come out. */
static char *bytes_after(u64 pattern)
{
	static struct worker w[2];
	open_heap(SMALL_STRIDE, 2, 0);
	u32 left[2] = {700, 700};
	w[0] = (struct worker){.seed = 21, .arena = 0};
	w[1] = (struct worker){.seed = 22, .arena = 1};
	seed = pattern;
	while (left[0] + left[1]) {
		u32 who = pattern == 1 ? left[0] == 0 : pattern == 2 ? left[1] != 0 : random_below(2);
		if (left[who] == 0)
			continue;
		work(&w[who]);
		left[who]--;
	}
	char *copy = malloc(memory_bytes);
	assert_non_null(copy);
	return memcpy(copy, memory, memory_bytes);
}

static void the_order_between_arenas_does_not_show(void **state)
{
	char *first = bytes_after(1);
	assert_false(is_zero(first, memory_bytes));
	for (u64 pattern = 2; pattern < 6; pattern++) {
		close_heap(state);
		char *other = bytes_after(pattern);
		assert_memory_equal(first, other, memory_bytes);
		free(other);
	}
	free(first);
}

static int by_address(const void *a, const void *b)
{
	const struct block *x = a, *y = b;
	return x->p < y->p ? -1 : x->p > y->p;
}

/* The same live blocks, made in address order with the gaps filled and freed at the end. */
static void rebuild(const struct block *block, u32 n)
{
	u32 fillers = 0;
	char **filler = malloc(SMALL_STRIDE / 16 * sizeof(*filler));
	assert_non_null(filler);
	for (u32 i = 0; i < n; i++) {
		char *p = heap_alloc(0, 16, 1);
		for (; p && p < block[i].p; p = heap_alloc(0, 16, 1))
			filler[fillers++] = p;
		heap_free(0, p);
		p = heap_alloc(0, block[i].size, 1);
		assert_ptr_equal(p, block[i].p);
		memset(p, block[i].fill, block[i].size);
	}
	while (fillers) {
		u32 any = random_below(fillers);
		assert_int_equal(heap_free(0, filler[any]), HEAP_OK);
		filler[any] = filler[--fillers];
	}
	free(filler);
}

static void bytes_depend_on_the_live_blocks_only_7(void **state)
{
	(void)state;
	enum { BLOCKS = 150 };
	static struct block block[BLOCKS];
	open_heap(SMALL_STRIDE, 1, 0);
	seed = 31;
	for (u32 step = 0; step < 2000; step++) {
		struct block *b = &block[random_below(BLOCKS)];
		size_t size = random_size();
		if (b->p)
			block_free(b);
		else
			block_new(b, heap_alloc(0, size, 1), size);
	}
	u32 n = 0;
	for (u32 i = 0; i < BLOCKS; i++)
		if (block[i].p)
			block[n++] = block[i];
	qsort(block, n, sizeof(*block), by_address);
	char *lived = malloc(memory_bytes);
	assert_non_null(lived);
	memcpy(lived, memory, memory_bytes);
	memset(memory, 0, memory_bytes);
	rebuild(block, n);
	assert_memory_equal(memory, lived, memory_bytes);
	free(lived);
}

static void a_dozen_blocks_need_two_pages(void **state)
{
	(void)state;
	open_heap(LARGE_STRIDE, 1, 1UL << 30);
	for (u32 i = 0; i < 12; i++)
		memset(heap_alloc(0, 24 * i, 1), 0xff, 24 * i);
	assert_false(is_zero(memory, HD_PAGE));
	assert_true(is_zero(memory + HD_PAGE, heap_layout.data_off - HD_PAGE));
	assert_true(is_zero(memory + heap_layout.data_off + HD_PAGE, 64 * HD_PAGE));
}

static void free_tells_what_is_wrong(void **state)
{
	(void)state;
	char local[64];
	open_heap(SMALL_STRIDE, 2, 0);
	char *small = heap_alloc(0, 100, 1), *large = heap_alloc(1, 1000000, 1);
	assert_int_equal(heap_free(0, NULL), HEAP_OK);
	assert_int_equal(heap_free(0, local), HEAP_NOT_A_BLOCK);
	assert_int_equal(heap_free(0, memory - 16), HEAP_NOT_A_BLOCK);
	assert_int_equal(heap_free(0, memory), HEAP_NOT_A_BLOCK);
	assert_int_equal(heap_free(0, memory + memory_bytes), HEAP_NOT_A_BLOCK);
	assert_int_equal(heap_free(0, small + 1), HEAP_INSIDE_BLOCK);
	assert_int_equal(heap_free(0, small + 16), HEAP_INSIDE_BLOCK);
	assert_int_equal(heap_free(0, large + 8192), HEAP_INSIDE_BLOCK);
	assert_int_equal(heap_free(0, large + 999999), HEAP_INSIDE_BLOCK);
	assert_int_equal(heap_free(0, small), HEAP_OK);
	assert_int_equal(heap_free(0, small), HEAP_ALREADY_FREE);
	assert_int_equal(heap_free(0, small + 3), HEAP_NOT_A_BLOCK);
	assert_int_equal(heap_free(0, large), HEAP_OK);
	assert_int_equal(heap_free(0, large), HEAP_ALREADY_FREE);
	assert_int_equal(heap_usable(large), 0);
	assert_true(is_zero(memory, memory_bytes));
}

static void find_knows_the_block_around_an_address(void **state)
{
	(void)state;
	u64 start, size;
	open_heap(SMALL_STRIDE, 1, 0);
	char *a = heap_alloc(0, 4096 * 3 + 100, 1), *b = heap_alloc(0, 20, 1);
	char *edges[] = {a, a + 4095, a + 4096, a + 3 * 4096, a + 3 * 4096 + 111};
	for (u32 i = 0; i < HD_ARRAY_LEN(edges); i++)
		assert_true(heap_find(edges[i], &start, &size) && start == (u64)a && size == 4096 * 3 + 112);
	assert_ptr_equal(b, a + 4096 * 3 + 112);
	assert_true(heap_find(b + 31, &start, &size) && start == (u64)b && size == 32);
	assert_false(heap_find(b + 32, &start, &size));
	assert_false(heap_find(memory + 64, &start, &size));
	assert_false(heap_find(&start, &start, &size));
}

static void sizes_that_cannot_be(void **state)
{
	(void)state;
	enum heap_status status;
	open_heap(SMALL_STRIDE, 1, 0);
	char *p = heap_alloc(0, 0, 1), *q = heap_alloc(0, 0, 1);
	assert_true(p && q && p != q && heap_usable(p) == 16);
	size_t sizes[] = {SIZE_MAX, SIZE_MAX - 15, SIZE_MAX / 2, SMALL_STRIDE, SMALL_STRIDE + 1};
	for (u32 i = 0; i < HD_ARRAY_LEN(sizes); i++) {
		assert_null(heap_alloc(0, sizes[i], 1));
		assert_null(heap_alloc(0, sizes[i], 1UL << 63));
		assert_null(heap_realloc(0, p, sizes[i], &status));
		assert_int_equal(status, HEAP_OK);
	}
	assert_null(heap_alloc(0, 1, 1UL << 63));
	assert_int_equal(heap_live_bytes(), 32);
	assert_sound(0);
}

static void realloc_stays_when_it_can(void **state)
{
	(void)state;
	enum heap_status status;
	open_heap(SMALL_STRIDE, 2, 0);
	char *p = heap_realloc(0, NULL, 40, &status);
	assert_ptr_equal(heap_realloc(0, p, 4000, &status), p);
	assert_ptr_equal(heap_realloc(0, p, 2000000, &status), p);
	p[1999999] = 1;
	assert_ptr_equal(heap_realloc(0, p, 100, &status), p);
	memset(p, 7, 100);
	assert_ptr_equal(heap_realloc(0, p, 97, &status), p);
	assert_true(p[96] == 7 && p[97] == 0);
	char *wall = heap_alloc(0, 16, 1);
	assert_ptr_equal(wall, p + 112);
	char *moved = heap_realloc(1, p, 200, &status);
	assert_true(moved >= memory + SMALL_STRIDE && moved[96] == 7 && moved[97] == 0);
	assert_int_equal(heap_usable(p), 0);
	assert_null(heap_realloc(1, p, 10, &status));
	assert_int_equal(status, HEAP_ALREADY_FREE);
	assert_null(heap_realloc(1, moved + 16, 10, &status));
	assert_int_equal(status, HEAP_INSIDE_BLOCK);
	assert_null(heap_realloc(1, &status, 10, &status));
	assert_int_equal(status, HEAP_NOT_A_BLOCK);
	heap_free(0, moved);
	heap_free(0, wall);
	assert_true(is_zero(memory, memory_bytes));
}

static void a_full_arena_says_so_and_recovers(void **state)
{
	(void)state;
	open_heap(64 << 10, 2, 0);
	u32 n = 0;
	char *p, *last = NULL;
	while ((p = heap_alloc(0, 16, 1))) {
		assert_true(last == NULL || p == last + 16);
		last = p;
		n++;
	}
	assert_int_equal(n, (heap_layout.end_page - HEAP_FIRST_PAGE) * 256);
	assert_ptr_equal(last + 16, memory + (64 << 10));
	assert_sound(0);
	assert_non_null(heap_alloc(1, 16, 1));
	heap_free(0, last - 160);
	assert_null(heap_alloc(0, 17, 1));
	assert_ptr_equal(heap_alloc(0, 16, 1), last - 160);
	for (p = memory + heap_layout.data_off; p <= last; p += 16)
		assert_int_equal(heap_free(0, p), HEAP_OK);
	assert_true(is_zero(memory, 64 << 10));
	assert_null(heap_alloc(0, (64 << 10) - heap_layout.data_off + 1, 1));
	assert_non_null(heap_alloc(0, (64 << 10) - heap_layout.data_off, 1));
}

static void the_limit_counts_all_arenas(void **state)
{
	(void)state;
	enum heap_status status;
	open_heap(SMALL_STRIDE, 3, 1 << 20);
	char *a = heap_alloc(0, 500000, 1), *b = heap_alloc(1, 500000, 1);
	assert_true(a && b);
	assert_null(heap_alloc(2, 100000, 1));
	assert_null(heap_realloc(0, a, 600000, &status));
	assert_true(status == HEAP_OK && heap_usable(a) == 500000 && heap_live_bytes() == 1000000);
	char *saved = malloc(memory_bytes);
	assert_non_null(saved);
	memcpy(saved, memory, memory_bytes);
	heap_free(0, a);
	assert_non_null(heap_alloc(2, 500000, 1));
	assert_null(heap_alloc(0, 100000, 1));
	/* Backtracking: the heap finds itself in an earlier state. */
	memcpy(memory, saved, memory_bytes);
	assert_null(heap_alloc(2, 100000, 1));
	heap_free(0, b);
	assert_non_null(heap_alloc(2, 500000, 1));
	assert_null(heap_alloc(1, 48592, 1));
	assert_non_null(heap_alloc(1, 48576, 1));
	assert_int_equal(heap_live_bytes(), 1 << 20);
	free(saved);
}

static void hundred_thousands_of_blocks(void **state)
{
	(void)state;
	enum { BLOCKS = 150000 };
	static char *p[BLOCKS];
	open_heap(LARGE_STRIDE, 1, 0);
	seed = 41;
	for (u32 i = 0; i < BLOCKS; i++) {
		p[i] = heap_alloc(0, 16 + random_below(400), 1);
		*(u32 *)p[i] = i + 1;
	}
	for (u32 i = 0; i < BLOCKS; i++) {
		u32 j = random_below(BLOCKS);
		assert_int_equal(*(u32 *)p[j], j + 1);
		assert_int_equal(heap_free(0, p[j]), HEAP_OK);
		p[j] = heap_alloc(0, 16 + random_below(400), 1);
		*(u32 *)p[j] = j + 1;
	}
	assert_sound(0);
	for (u32 i = 0; i < BLOCKS; i++) {
		assert_int_equal(*(u32 *)p[i], i + 1);
		assert_int_equal(heap_free(0, p[i]), HEAP_OK);
	}
	assert_int_equal(heap_live_bytes(), 0);
	assert_true(is_zero(memory, 128 << 20));
	assert_true(is_zero(memory + heap_layout.group_off, 256 << 20));
}

/* Given back by another fiber: free, and yet no later block lies there. */
static void blocks_of_others_retire(void **state)
{
	(void)state;
	u64 start, size;
	open_heap(SMALL_STRIDE, 2, 100000);
	heap_retire(true);
	char *small = heap_alloc(0, 100, 1), *large = heap_alloc(0, 50000, 1), *own = heap_alloc(0, 100, 1);
	memset(small, 1, 100);
	memset(large, 1, 50000);
	assert_int_equal(heap_free(1, small), HEAP_OK);
	assert_int_equal(heap_free(1, large), HEAP_OK);
	assert_sound(0);
	assert_true(is_zero(small, 112) && is_zero(large, 50000));
	assert_false(heap_find(small + 8, &start, &size) || heap_find(large + 20000, &start, &size));
	assert_int_equal(heap_free(1, small), HEAP_ALREADY_FREE);
	assert_int_equal(heap_free(0, large), HEAP_ALREADY_FREE);
	assert_int_equal(heap_usable(small), 0);
	assert_int_equal(heap_live_bytes(), 112);
	assert_true((char *)heap_alloc(0, 16, 1) > own);
	assert_int_equal(heap_free(0, own), HEAP_OK);
	assert_ptr_equal(heap_alloc(0, 100, 1), own);
	assert_true((char *)heap_alloc(0, 90000, 1) > large + 50000);
	assert_sound(0);
	assert_true(is_zero(memory + SMALL_STRIDE, SMALL_STRIDE));
}

/* Where the owner's blocks lie does not depend on what others have given back, or in which order. */
static void what_retires_leaves_no_history(void **state)
{
	(void)state;
	enum { BLOCKS = 40 };
	char *saved = NULL;
	for (u32 turn = 0; turn < 2; turn++) {
		char *p[BLOCKS];
		close_heap(NULL);
		open_heap(SMALL_STRIDE, 2, 0);
		heap_retire(true);
		for (u32 i = 0; i < BLOCKS; i++)
			p[i] = heap_alloc(0, 16 + 300 * (i % 23), 1);
		for (u32 i = 0; i < BLOCKS; i++) {
			if (turn)
				heap_alloc(0, 64, 1);
			assert_int_equal(heap_free(1, p[turn ? i : BLOCKS - 1 - i]), HEAP_OK);
			if (!turn)
				heap_alloc(0, 64, 1);
		}
		assert_sound(0);
		if (!turn) {
			saved = malloc(SMALL_STRIDE);
			assert_non_null(saved);
			memcpy(saved, memory, SMALL_STRIDE);
		}
	}
	assert_memory_equal(saved, memory, SMALL_STRIDE);
	free(saved);
}

/* Then one block is as good as another, and its place is used again. */
static void only_so_many_retire(void **state)
{
	(void)state;
	char *p[HEAP_MAX_RETIRED + 1];
	open_heap(SMALL_STRIDE, 2, 0);
	heap_retire(true);
	for (u32 i = 0; i <= HEAP_MAX_RETIRED; i++)
		p[i] = heap_alloc(0, 16, 1);
	for (u32 i = 0; i < HEAP_MAX_RETIRED; i++)
		assert_int_equal(heap_free(1, p[i]), HEAP_OK);
	assert_int_equal(heap_free(1, p[HEAP_MAX_RETIRED]), HEAP_REUSED);
	assert_sound(0);
	assert_ptr_equal(heap_alloc(0, 16, 1), p[HEAP_MAX_RETIRED]);
}

/* Set aside, a block is free for all who look, and taken again first: by who gave it back, or by its
   owner. */
static void blocks_set_aside_come_back(void **state)
{
	(void)state;
	u64 start, size;
	open_heap(SMALL_STRIDE, 2, 100000);
	heap_retire(true);
	char *a = heap_alloc(0, 32, 1), *b = heap_alloc(0, 32, 1), *large = heap_alloc(0, 200, 1);
	memset(a, 1, 32);
	assert_int_equal(heap_aside_put(1, a), HEAP_OK);
	assert_int_equal(heap_aside_put(1, large), HEAP_OK);
	assert_int_equal(heap_aside_put(1, b), HEAP_OK);
	assert_int_equal(heap_aside_put(1, b), HEAP_ALREADY_FREE);
	assert_true(is_zero(a, 32));
	assert_false(heap_find(a, &start, &size));
	assert_int_equal(heap_live_bytes(), 0);
	assert_null(heap_aside_find(1, 64, 1, HEAP_NEWEST));
	assert_ptr_equal(heap_aside_find(1, 20, 1, HEAP_OLDEST), a);
	assert_ptr_equal(heap_aside_take(1, 20, 1, HEAP_NEWEST), b);
	assert_true(heap_find(b, &start, &size) && size == 32);
	assert_ptr_equal(heap_aside_take(0, 32, 1, HEAP_NEWEST), a); /* its owner */
	assert_null(heap_aside_find(1, 32, 1, HEAP_NEWEST));
	assert_ptr_equal(heap_aside_take(1, 200, 1, HEAP_OLDEST), large);
	assert_int_equal(heap_live_bytes(), 32 + 32 + 208);
	assert_sound(0);
	assert_sound(1);
}

/* Those of the fiber itself are used again like others then, from the oldest on. */
static void only_so_many_are_set_aside(void **state)
{
	(void)state;
	char *p[HEAP_MAX_ASIDE + 1];
	open_heap(SMALL_STRIDE, 2, 0);
	for (u32 i = 0; i <= HEAP_MAX_ASIDE; i++)
		p[i] = heap_alloc(0, 16, 1);
	for (u32 i = 0; i < HEAP_MAX_ASIDE; i++)
		assert_int_equal(heap_aside_put(0, p[i]), HEAP_OK);
	assert_true((char *)heap_alloc(0, 16, 1) > p[HEAP_MAX_ASIDE]);
	assert_int_equal(heap_aside_put(0, p[HEAP_MAX_ASIDE]), HEAP_OK);
	assert_ptr_equal(heap_alloc(0, 16, 1), p[0]);
	assert_ptr_equal(heap_aside_take(0, 16, 1, HEAP_OLDEST), p[1]);
	assert_sound(0);
}

/* Whether it could grow where it lies depends on what the owner does meanwhile. */
static void blocks_of_others_move_to_grow(void **state)
{
	(void)state;
	enum heap_status status;
	open_heap(SMALL_STRIDE, 2, 0);
	heap_retire(true);
	char *p = heap_alloc(0, 16, 1);
	p[3] = 7;
	assert_ptr_equal(heap_realloc(1, p, 10, &status), p);
	char *q = heap_realloc(1, p, 200, &status);
	assert_true(status == HEAP_OK && q >= memory + SMALL_STRIDE && q[3] == 7);
	assert_int_equal(heap_free(0, p), HEAP_ALREADY_FREE);
	assert_sound(0);
	assert_sound(1);
}

static void blocks_of_a_gigabyte(void **state)
{
	(void)state;
	u64 start, size, gib = 1UL << 30;
	enum heap_status status;
	open_heap(LARGE_STRIDE, 1, 0);
	char *small = heap_alloc(0, 100, 1);
	char *a = heap_alloc(0, gib + 5, 1), *b = heap_alloc(0, 3 * gib, 2 << 20);
	assert_true((u64)b % (2 << 20) == 0 && b > a + gib);
	a[0] = a[gib / 2] = a[gib + 4] = 1;
	assert_true(heap_find(a + gib + 4, &start, &size) && start == (u64)a && size == gib + 16);
	assert_true(heap_find(a + gib / 3, &start, &size) && start == (u64)a);
	assert_true(heap_find(b + 2 * gib + 77, &start, &size) && start == (u64)b && size == 3 * gib);
	assert_int_equal(heap_free(0, b + gib), HEAP_INSIDE_BLOCK);
	assert_null(heap_alloc(0, 12 * gib, 1));
	assert_sound(0);
	assert_ptr_equal(heap_realloc(0, b, 4 * gib, &status), b);
	assert_sound(0);
	assert_ptr_equal(heap_realloc(0, a, 70000, &status), a);
	assert_int_equal(a[gib / 2], 0);
	assert_ptr_equal(heap_alloc(0, gib / 2, 1), a + 18 * 4096);
	assert_sound(0);
	assert_int_equal(heap_usable(small), 112);
}

/* heap_check must see the byte `at` changed, and name the right invariant. */
static void assert_noticed(void *at, u8 change, char invariant)
{
	u8 *byte = at;
	assert_sound(0);
	*byte ^= change;
	const char *what = heap_check(0);
	assert_non_null(what);
	assert_int_equal(what[0], invariant);
	*byte ^= change;
}

static void check_notices_damage_1_to_7(void **state)
{
	(void)state;
	open_heap(64UL << 20, 1, 0);
	struct heap_arena *a = (struct heap_arena *)memory;
	char *small = heap_alloc(0, 64, 1);
	heap_alloc(0, 64, 1);
	assert_ptr_equal(heap_alloc(0, 1 << 20, 1), small + 4096);
	assert_non_null(heap_alloc(0, 5000, 1));
	struct heap_line *bits = &a->line[0], *head = &a->line[1], *body = &a->line[2];
	assert_noticed(&bits->used[0], 0x01, '1');
	assert_noticed(&bits->start[0], 0x01, '1');
	assert_noticed(&bits->used[1], 0x01, '5');
	assert_noticed(&a->code[2], 0x40, '1');
	assert_noticed(&head->used[1], 0x01, '2');
	assert_noticed((u8 *)&head->used[0] + 1, 0x01, '2');
	assert_noticed((u8 *)&head->used[0] + 4, 0x01, '2');
	assert_noticed(&body->start[3], 0x01, '2');
	assert_noticed(&a->code[4], HEAP_CODE_BODY, '2');
	assert_noticed(memory + 2 * HD_PAGE, 0x01, '3'); /* the map of a covered chunk */
	assert_noticed(&a->near_group[4], 0x01, '3');
	assert_noticed(memory + heap_layout.sum_off, 0x01, '4');
	assert_noticed(&a->live, 0x10, '5');
	assert_noticed(small + 128, 0x01, '6');
	assert_noticed(&a->spare[0], 0x01, '7');
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, close_heap)
	const struct CMUnitTest tests[] = {
		TEST(every_block_lies_where_the_model_puts_it),
		TEST(so_do_blocks_of_many_pages),
		TEST(after_all_is_freed_no_byte_is_left_7),
		TEST(the_order_between_arenas_does_not_show),
		TEST(bytes_depend_on_the_live_blocks_only_7),
		TEST(a_dozen_blocks_need_two_pages),
		TEST(free_tells_what_is_wrong),
		TEST(find_knows_the_block_around_an_address),
		TEST(sizes_that_cannot_be),
		TEST(realloc_stays_when_it_can),
		TEST(a_full_arena_says_so_and_recovers),
		TEST(the_limit_counts_all_arenas),
		TEST(hundred_thousands_of_blocks),
		TEST(blocks_of_others_move_to_grow),
		TEST(only_so_many_retire),
		TEST(blocks_set_aside_come_back),
		TEST(only_so_many_are_set_aside),
		TEST(what_retires_leaves_no_history),
		TEST(blocks_of_others_retire),
		TEST(blocks_of_a_gigabyte),
		TEST(check_notices_damage_1_to_7),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
