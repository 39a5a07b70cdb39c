/*
 * Which branch leaves (parent, fork) with a symbol: a hash table of branch numbers, because a long branch can
 * be left in thousands of places. The table says nothing that the branches themselves do not say: a hit is
 * checked against them.
 */
#include "tree_priv.h"

#include <string.h>

u32 branch_symbol(const struct trees *t, const struct branch *b)
{
	return b->bytes.len ? branch_bytes(t, b)[0] : SYMBOL_END;
}

static u64 hash(u32 parent, u64 fork, u32 symbol)
{
	u64 h = (fork ^ ((u64)parent << 32)) * 0x9e3779b97f4a7c15ull + symbol;
	h ^= h >> 29;
	h *= 0xbf58476d1ce4e5b9ull;
	return h ^ h >> 32;
}

static u64 slots(const struct trees *t)
{
	return t->index.len / sizeof(u32);
}

u32 index_find(const struct trees *t, u32 parent, u64 fork, u32 symbol)
{
	u64 n = slots(t);
	const u32 *slot = trees_place(t, t->index.at);
	u64 at = hash(parent, fork, symbol);
	for (u64 tries = 0; tries < n; tries++, at++) {
		u32 branch = slot[at & (n - 1)] - 1;
		if (branch == TREE_NONE)
			return TREE_NONE;
		const struct branch *b = branch_of(t, branch);
		if (b->parent == parent && b->fork == fork && branch_symbol(t, b) == symbol)
			return branch;
	}
	return TREE_NONE;
}

static void put(struct trees *t, u32 branch)
{
	const struct branch *b = branch_of(t, branch);
	u64 n = slots(t), at = hash(b->parent, b->fork, branch_symbol(t, b));
	u32 *slot = trees_place(t, t->index.at);
	while (slot[at & (n - 1)])
		at++;
	slot[at & (n - 1)] = branch + 1;
}

/* At most half of the slots are taken. */
bool index_reserve(struct trees *t, u64 branches)
{
	u64 n = HD_MAX(slots(t), 64ull);
	while (n < 2 * branches)
		n *= 2;
	if (n == slots(t))
		return true;
	struct vec bigger = {0};
	if (!vec_reserve(t, &bigger, n * sizeof(u32)))
		return false;
	bigger.len = n * sizeof(u32);
	memset(trees_place(t, bigger.at), 0, bigger.len);
	t->index = bigger;
	for (u32 i = 0; i < branches_count(t); i++)
		if (branch_of(t, i)->parent != TREE_NONE)
			put(t, i);
	return true;
}

/* Room was reserved, the branch is complete. */
bool index_add(struct trees *t, u32 branch)
{
	if (slots(t) < 2 * (u64)branches_count(t))
		return false;
	put(t, branch);
	return true;
}
