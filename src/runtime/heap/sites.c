#include "runtime/heap/sites.h"

#include "base/pages.h"
#include "runtime/heap/heap.h"

#define TABLE (1u << 18)
#define NEAR 4096  /* bytes behind a block's start in which an address is said to belong to it */
#define LARGE 1024 /* longer blocks are remembered by themselves, so many of them */

struct site {
	u64 block, size, allocated_at, freed_at;
	u64 turn; /* counts allocations: the same memory has been in several blocks */
};

static struct site *table;
static u64 turns;
static u64 large[LARGE], larges;

void sites_setup(void)
{
	table = pages_map(TABLE * sizeof(*table));
	hd_assert(table);
}

/* Best effort: a newer block may push an older one out. */
static struct site *site_of(u64 block)
{
	return &table[(block * 0x9e3779b97f4a7c15u >> 40) % TABLE];
}

void sites_allocated(u64 block, u64 size, u64 pc)
{
	*site_of(block) = (struct site){block, size, pc, 0, ++turns};
	if (size > NEAR)
		large[larges++ % LARGE] = block;
}

void sites_freed(u64 block, u64 pc)
{
	struct site *s = site_of(block);
	if (s->block != block)
		*s = (struct site){.block = block, .turn = ++turns};
	s->freed_at = pc;
}

/* This one, if the address was in it, and in `other` before that. */
static const struct site *later(const struct site *s, u64 address, const struct site *other)
{
	return address - s->block < s->size && (!other || s->turn > other->turn) ? s : other;
}

/* The last block that the address was in; where it never was in one, the nearest before it. */
static const struct site *find_site(u64 address)
{
	const struct site *inside = NULL, *before = NULL;
	for (u64 block = address & ~15UL; block + NEAR > address; block -= 16) {
		const struct site *s = site_of(block);
		if (s->block != block)
			continue;
		if (!before)
			before = s;
		inside = later(s, address, inside);
	}
	for (u64 i = 0; i < HD_MIN(larges, (u64)LARGE); i++)
		if (site_of(large[i])->block == large[i])
			inside = later(site_of(large[i]), address, inside);
	return inside ? inside : before;
}

void sites_describe(u64 address, struct text *t)
{
	const struct site *s = find_site(address);
	if (!s)
		return;
	u64 size = heap_usable((void *)s->block);
	text_str(t, size ? ", behind a block of " : ", in a block");
	if (size) {
		text_dec(t, (long)size);
		text_str(t, " bytes");
	}
	text_str(t, " allocated at ");
	text_addr(t, s->allocated_at);
	if (!size && s->freed_at) {
		text_str(t, " and freed at ");
		text_addr(t, s->freed_at);
	}
}

u64 sites_allocated_at(u64 address)
{
	u64 start, size;
	if (!heap_find((void *)address, &start, &size))
		return 0;
	const struct site *s = site_of(start);
	/* A block that realloc moved here is not in the table; who was here before may be. */
	return s->block != start || s->freed_at ? 0 : s->allocated_at;
}

u64 sites_last_allocated_at(u64 address)
{
	const struct site *s = find_site(address);
	return s && address - s->block < s->size ? s->allocated_at : 0;
}

void sites_describe_live(u64 address, struct text *t)
{
	u64 start, size;
	if (!heap_find((void *)address, &start, &size))
		return;
	text_fmt(t, ", in a block of %lu bytes", size);
	u64 allocated_at = sites_allocated_at(address);
	if (!allocated_at)
		return;
	text_str(t, " allocated at ");
	text_addr(t, allocated_at);
}
