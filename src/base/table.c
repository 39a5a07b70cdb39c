#include "base/table.h"

#include "base/pages.h"

#define FIRST_ROOM 256u

static u64 *key_at(const struct table *t, u64 slot)
{
	return (u64 *)(t->entries + slot * t->entry_size);
}

/*
 * Keys are often addresses, all different in the same few bits: the product's upper half depends on all of
 * them.
 */
static u64 home_of(const struct table *t, u64 key)
{
	u64 h = (key ^ key >> 32) * 0x9e3779b97f4a7c15u;
	return (h ^ h >> 32) & (t->room - 1);
}

/* Where the key is, or where it would be: less than all slots are taken. */
static u64 slot_of(const struct table *t, u64 key)
{
	u64 slot = home_of(t, key);
	while (*key_at(t, slot) && *key_at(t, slot) != key)
		slot = (slot + 1) & (t->room - 1);
	return slot;
}

void *table_find(const struct table *t, u64 key)
{
	hd_assert(key);
	if (!t->room)
		return NULL;
	u64 *at = key_at(t, slot_of(t, key));
	return *at ? at : NULL;
}

static void copy(u64 *to, const u64 *from, u32 bytes)
{
	for (u32 i = 0; i < bytes / sizeof(u64); i++)
		to[i] = from[i];
}

static bool grow(struct table *t)
{
	struct table bigger = {
		.room = t->room ? t->room * 2 : FIRST_ROOM, .count = t->count, .entry_size = t->entry_size};
	bigger.entries = pages_map(bigger.room * t->entry_size);
	if (!bigger.entries)
		return false;
	for (u64 *e = table_next(t, NULL); e; e = table_next(t, e))
		copy(key_at(&bigger, slot_of(&bigger, *e)), e, t->entry_size);
	pages_unmap(t->entries, t->room * t->entry_size);
	*t = bigger;
	return true;
}

void *table_add(struct table *t, u64 key)
{
	hd_assert(t->entry_size && t->entry_size % sizeof(u64) == 0);
	void *known = table_find(t, key);
	if (known)
		return known;
	if (t->count >= t->room / 2 && !grow(t))
		return NULL;
	u64 *at = key_at(t, slot_of(t, key));
	*at = key;
	t->count++;
	return at;
}

void *table_next(const struct table *t, const void *after)
{
	u64 slot = after ? (u64)((const char *)after - t->entries) / t->entry_size + 1 : 0;
	for (; slot < t->room; slot++)
		if (*key_at(t, slot))
			return key_at(t, slot);
	return NULL;
}

void table_free(struct table *t)
{
	pages_unmap(t->entries, t->room * t->entry_size);
	*t = (struct table){.entry_size = t->entry_size};
}

u64 table_bytes(const struct table *t)
{
	return t->room * t->entry_size;
}
