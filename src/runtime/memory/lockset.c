#include "runtime/memory/lockset.h"

#include "base/pages.h"

#define SETS (1u << LOCKSET_BITS)
#define TABLE (SETS * 2)

struct set {
	u64 lock[LOCKSET_MAX_LOCKS];
	u32 n;
};

static struct set *sets;
static u32 *table; /* set number by hash; 0 = empty slot (LOCKSET_ALL is never looked up) */
static u32 count;

void lockset_setup(void)
{
	sets = pages_map(SETS * sizeof(*sets));
	table = pages_map(TABLE * sizeof(*table));
	hd_assert(sets && table);
	count = 2; /* ALL and NONE */
}

static bool same(const struct set *s, const u64 *locks, u32 n)
{
	if (s->n != n)
		return false;
	for (u32 i = 0; i < n; i++)
		if (s->lock[i] != locks[i])
			return false;
	return true;
}

static u64 hash_of(const u64 *locks, u32 n)
{
	u64 h = n;
	for (u32 i = 0; i < n; i++)
		h = (h ^ locks[i]) * 0x9e3779b97f4a7c15u;
	return h;
}

u64 lockset_key(u32 a)
{
	return hash_of(sets[a].lock, sets[a].n);
}

u32 lockset_get(u32 a, u64 *locks)
{
	for (u32 i = 0; i < sets[a].n; i++)
		locks[i] = sets[a].lock[i];
	return sets[a].n;
}

u32 lockset_of(const u64 *locks, u32 n)
{
	if (!n)
		return LOCKSET_NONE;
	for (u64 h = hash_of(locks, n) >> 20;; h++) {
		u32 *at = &table[h % TABLE];
		if (*at && same(&sets[*at], locks, n))
			return *at;
		if (*at)
			continue;
		if (count == SETS)
			return LOCKSET_NONE; /* fewer locks known than held: more steps, never fewer */
		*at = count;
		sets[count].n = n;
		for (u32 i = 0; i < n; i++)
			sets[count].lock[i] = locks[i];
		return count++;
	}
}

u32 lockset_meet(u32 a, u32 b)
{
	if (a == b || b == LOCKSET_ALL)
		return a;
	if (a == LOCKSET_ALL)
		return b;
	if (a == LOCKSET_NONE || b == LOCKSET_NONE)
		return LOCKSET_NONE;
	const struct set *x = &sets[a], *y = &sets[b];
	u64 both[LOCKSET_MAX_LOCKS];
	u32 n = 0;
	for (u32 i = 0, j = 0; i < x->n && j < y->n;) {
		if (x->lock[i] == y->lock[j]) {
			both[n++] = x->lock[i++];
			j++;
		} else if (x->lock[i] < y->lock[j]) {
			i++;
		} else {
			j++;
		}
	}
	return lockset_of(both, n);
}
