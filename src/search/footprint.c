#include "search/footprint.h"

/*
 * Rows and columns in the order of enum access_mode: read, write, add, acquire, release, try, make. Both
 * tables are symmetric. docs/DEPENDENCY.md explains each entry; a unit test compares the two.
 */
static const u8 commutes[ACCESS_MODES][ACCESS_MODES] = {
	[ACCESS_READ] = {1, 0, 0, 0, 0, 0, 1},    [ACCESS_WRITE] = {0, 0, 0, 0, 0, 0, 1},
	[ACCESS_ADD] = {0, 0, 1, 0, 0, 0, 1},     [ACCESS_ACQUIRE] = {0, 0, 0, 0, 0, 0, 0},
	[ACCESS_RELEASE] = {0, 0, 0, 0, 1, 0, 0}, [ACCESS_TRY] = {0, 0, 0, 0, 0, 0, 0},
	[ACCESS_MAKE] = {1, 1, 1, 0, 0, 0, 0},
};

/* Beyond what commutes: a release moves left past everything that can't tell whether the object is held. */
static const u8 merges[ACCESS_MODES][ACCESS_MODES] = {
	[ACCESS_READ] = {1, 0, 0, 0, 0, 0, 1},    [ACCESS_WRITE] = {0, 0, 0, 0, 0, 0, 1},
	[ACCESS_ADD] = {0, 0, 1, 0, 0, 0, 1},     [ACCESS_ACQUIRE] = {0, 0, 0, 1, 1, 0, 0},
	[ACCESS_RELEASE] = {0, 0, 0, 1, 1, 0, 0}, [ACCESS_TRY] = {0, 0, 0, 0, 0, 0, 0},
	[ACCESS_MAKE] = {1, 1, 1, 0, 0, 0, 0},
};

bool access_commutes(enum access_mode a, enum access_mode b)
{
	return commutes[a][b];
}

bool access_merges(enum access_mode a, enum access_mode b)
{
	return merges[a][b];
}

static bool same_object(const struct access *a, const struct access *b)
{
	return a->object < b->object + b->bytes && b->object < a->object + a->bytes;
}

void footprint_add(struct footprint *f, u64 object, u32 bytes, enum access_mode mode)
{
	if (object_class(object) == OBJECT_WORLD)
		f->world |= object == FOOTPRINT_END ? FOOTPRINT_ENDS : FOOTPRINT_WORLD;
	for (u32 i = f->count; i-- > 0;) {
		const struct access *a = &f->access[i];
		if (a->object == object && a->bytes >= bytes &&
		    (a->mode == mode || (a->mode == ACCESS_MAKE && commutes[ACCESS_MAKE][mode])))
			return; /* what a step makes is its own */
	}
	if (hd_unlikely(f->count == FOOTPRINT_MAX)) {
		f->world |= FOOTPRINT_WORLD;
		return;
	}
	f->access[f->count++] = (struct access){object, bytes, mode};
}

/* Is some pair of uses of one object not in the table? */
static bool some_pair_outside(const u8 table[][ACCESS_MODES], const struct footprint *a,
			      const struct footprint *b)
{
	if (a->world || b->world)
		return true;
	for (u32 i = 0; i < a->count; i++)
		for (u32 j = 0; j < b->count; j++)
			if (same_object(&a->access[i], &b->access[j]) &&
			    !table[a->access[i].mode][b->access[j].mode])
				return true;
	return false;
}

bool access_conflicts(const struct access *a, const struct access *b)
{
	return same_object(a, b) && !commutes[a->mode][b->mode];
}

bool footprint_conflicts(const struct footprint *a, const struct footprint *b)
{
	return some_pair_outside(commutes, a, b);
}

bool footprint_merges(const struct footprint *a, const struct footprint *b)
{
	return !some_pair_outside(merges, a, b);
}

bool footprint_writes(const struct footprint *f, u64 object)
{
	if (f->world)
		return true;
	for (u32 i = 0; i < f->count; i++) {
		const struct access *a = &f->access[i];
		if (a->mode != ACCESS_READ && object >= a->object && object < a->object + a->bytes)
			return true;
	}
	return false;
}
