/*
 * heap_aside.c: blocks that are given back and may be taken again at once, as a thread's cache of most
 * allocators does it: one of the same size, whoever allocated it. They have retired (heap_retired.c); each
 * arena lists those that its fiber has set aside. Others may take one of them meanwhile, so an entry is no
 * promise: it counts while its block is a retired one.
 */
#include "runtime/heap/heap.h"
#include "runtime/heap/heap_priv.h"

struct aside {
	struct heap_arena *a; /* NULL: there is none */
	struct heap_block b;
};

static struct aside retired_at(u64 address)
{
	struct aside found = {0};
	u64 at;
	struct heap_arena *a = heap_locate((const void *)address, &at);
	if (a && heap_retired_has(a, at) && heap_block_find(a, at, &found.b))
		found.a = a;
	return found;
}

static bool fits(const struct aside *it, u64 granules, size_t align)
{
	return it->a && it->b.granules == granules && (u64)heap_granule_address(it->a, it->b.at) % align == 0;
}

static void forget(struct heap_retired *list, u64 entry)
{
	list->asides--;
	for (u64 i = entry; i < list->asides; i++)
		list->aside[i] = list->aside[i + 1];
	list->aside[list->asides] = 0;
}

/* Of the arena's own blocks that have retired, the lowest one that fits. */
static struct aside lowest_own(struct heap_arena *own, u64 granules, size_t align)
{
	const struct heap_retired *r = heap_retired_of(own);
	u64 left = r->count;
	for (u64 i = 0; left && i < heap_layout.retired_granules / 64; i++)
		for (u64 word = r->bit[i]; word; word &= word - 1, left--) {
			u64 at = i * 64 + (u64)__builtin_ctzl(word) + HEAP_FIRST_GRANULE;
			struct aside it = retired_at((u64)heap_granule_address(own, at));
			if (fits(&it, granules, align))
				return it;
		}
	return (struct aside){0};
}

static struct aside find(u32 arena, size_t size, size_t align, enum heap_aside which)
{
	struct heap_arena *own = heap_arena_at(arena);
	const struct heap_retired *list = heap_retired_of(own);
	u64 granules = heap_granules_for(size);
	for (u64 i = 0; granules && i < list->asides; i++) {
		struct aside it = retired_at(list->aside[which == HEAP_OLDEST ? i : list->asides - 1 - i]);
		if (fits(&it, granules, align))
			return it;
	}
	return granules ? lowest_own(own, granules, align) : (struct aside){0};
}

void *heap_aside_find(u32 arena, size_t size, size_t align, enum heap_aside which)
{
	struct aside it = find(arena, size, align, which);
	return it.a ? heap_granule_address(it.a, it.b.at) : NULL;
}

void *heap_aside_take(u32 arena, size_t size, size_t align, enum heap_aside which)
{
	struct aside it = find(arena, size, align, which);
	if (!it.a)
		return NULL;
	if (heap_layout.limit && heap_live_bytes() + it.b.granules * HEAP_GRANULE > heap_layout.limit)
		return NULL;
	char *p = heap_granule_address(it.a, it.b.at);
	struct heap_retired *list = heap_retired_of(heap_arena_at(arena));
	heap_retired_remove(it.a, it.b);
	for (u64 i = list->asides; i-- > 0;)
		if (list->aside[i] == (u64)p)
			forget(list, i);
	return p;
}

/* There is no room for one more: the oldest is forgotten, and used again like others
   if it is the fiber's own. */
static void drop_oldest(u32 arena, struct heap_retired *list)
{
	struct aside it = retired_at(list->aside[0]);
	forget(list, 0);
	if (it.a != heap_arena_at(arena))
		return;
	heap_retired_remove(it.a, it.b);
	heap_release(it.a, it.b);
}

enum heap_status heap_aside_put(u32 arena, void *p)
{
	struct heap_arena *a;
	struct heap_block b;
	if (!p)
		return HEAP_OK;
	enum heap_status status = heap_resolve(p, &a, &b);
	if (status != HEAP_OK)
		return status;
	struct heap_retired *list = heap_retired_of(heap_arena_at(arena));
	if (list->asides == HEAP_MAX_ASIDE)
		drop_oldest(arena, list);
	if (!heap_retired_put(a, b))
		return heap_free(arena, p);
	heap_wipe(a, b);
	list->aside[list->asides++] = (u64)p;
	return HEAP_OK;
}
