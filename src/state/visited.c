/*
 * Open addressing with linear probing; the table doubles at 3/4 load. A lookup
 * is one cache miss, which is all a search should pay for 10^8 states.
 *
 * Growing must not stop the world: moving 10^8 entries takes seconds. So the old table stays
 * and every insertion moves a few slots, in order of their place:
 *
 *     old   |.....moved.....|   to be moved   |         one slot becomes two
 *     now   |   filled          |   not touched yet                |
 *
 * Invariants:
 *  1. A home is the topmost bits of the hash, so entries move in order: the new table's pages are
 *     touched one after the other while the old one's are given back. The peak is the
 *     size of the new table, not the sum of both.
 *  2. Only whole clusters move: the boundary lies behind an empty slot. Hence an entry whose old home
 *     is before the boundary is in `now`, any other in `old`, and a lookup probes one
 *     table, never both. `origin` is the slot after an empty one, so that no cluster
 *     crosses the start; one that grows across it later is met again at the end.
 *  3. A moved slot is empty, but for a cluster that grew across the origin after the start. It lies in
 *     the first huge page, which is not given back before the end.
 *  4. Growing ends long before the new table is full: MOVE_SLOTS slots per insertion.
 *
 * For several processes: shared_visited.c.
 */
#include "state/visited.h"

#include <asm-generic/errno-base.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/pages.h"
#include "base/sys.h"

#define FIRST_SLOTS_LOG 12
#define MOVE_SLOTS 32
#define HUGE_PAGE (2ul << 20)
#define RELEASE_SLOTS (HUGE_PAGE / sizeof(struct fingerprint))

static bool same(struct fingerprint a, struct fingerprint b)
{
	return a.lo == b.lo && a.hi == b.hi;
}

static bool is_empty(struct fingerprint fp)
{
	return !(fp.lo | fp.hi);
}

/* {0,0} marks an empty slot; a state with that fingerprint goes by another name. */
static struct fingerprint representable(struct fingerprint fp)
{
	if (hd_unlikely(is_empty(fp)))
		return (struct fingerprint){0x8c7f0aac97c4aa2full, 0xf8fc5a1f0eb7a3cdull};
	return fp;
}

/* Fingerprints are hashes already; multiplying keeps poor ones (tests, keys) from clustering. */
static u64 hash(struct fingerprint fp)
{
	return (fp.lo ^ fp.hi * 0x9fb21c651e98df25ull) * 0x9e3779b97f4a7c15ull;
}

static u64 table_slots(const struct visited_table *t)
{
	return t->slots ? t->mask + 1 : 0;
}

static void table_free(struct visited_table *t)
{
	pages_unmap(t->slots, table_slots(t) * sizeof(*t->slots));
	pages_unmap(t->depths, table_slots(t) * sizeof(*t->depths));
	*t = (struct visited_table){0};
}

static void want_huge_pages(void *p, size_t bytes)
{
	if (bytes >= HUGE_PAGE)
		sys_call3(SYS_madvise, (long)p, (long)bytes, MADV_HUGEPAGE);
}

static int table_make(struct visited_table *t, u32 slots_log, bool with_depths)
{
	u64 slots = 1ull << slots_log;
	struct visited_table made = {.mask = slots - 1, .shift = 64 - slots_log};
	made.slots = pages_map(slots * sizeof(*made.slots));
	if (!made.slots)
		return -ENOMEM;
	want_huge_pages(made.slots, slots * sizeof(*made.slots));
	if (with_depths) {
		made.depths = pages_map(slots * sizeof(*made.depths));
		if (!made.depths) {
			table_free(&made);
			return -ENOMEM;
		}
		want_huge_pages(made.depths, slots * sizeof(*made.depths));
	}
	*t = made;
	return 0;
}

/* The slot of fp, or the empty one where it belongs. */
static u64 table_probe(const struct visited_table *t, u64 hash, struct fingerprint fp)
{
	u64 i = hash >> t->shift;
	while (!is_empty(t->slots[i]) && !same(t->slots[i], fp))
		i = (i + 1) & t->mask;
	return i;
}

static bool growing(const struct visited *v)
{
	return v->old.slots;
}

/* Invariant 2. */
static const struct visited_table *table_of(const struct visited *v, u64 hash)
{
	if (hd_unlikely(growing(v))) {
		u64 from_origin = ((hash >> v->old.shift) - v->origin) & v->old.mask;
		if (from_origin >= v->moved)
			return &v->old;
	}
	return &v->now;
}

static void move_slot(struct visited *v, u64 i)
{
	struct fingerprint fp = v->old.slots[i];
	u64 to = table_probe(&v->now, hash(fp), fp);
	v->now.slots[to] = fp;
	v->old.slots[i] = (struct fingerprint){0, 0};
	if (v->with_depths)
		v->now.depths[to] = v->old.depths[i];
}

/* Give back what was moved, a huge page at a time, but for the first one, where the origin is. */
static void release_moved(struct visited *v)
{
	while (v->moved - v->released >= 2 * RELEASE_SLOTS) {
		u64 first = HD_ROUND_UP(v->origin + v->released, RELEASE_SLOTS);
		if (first + RELEASE_SLOTS <= v->old.mask + 1)
			sys_call3(SYS_madvise, (long)(v->old.slots + first), HUGE_PAGE, MADV_DONTNEED);
		v->released += RELEASE_SLOTS;
	}
}

static void move_some(struct visited *v)
{
	u64 goal = v->moved + MOVE_SLOTS, slots = v->old.mask + 1;
	for (;; v->moved++) {
		u64 i = (v->origin + v->moved) & v->old.mask;
		if (!is_empty(v->old.slots[i])) {
			move_slot(v, i);
		} else if (v->moved >= slots) {
			hd_assert(!v->released ||
				  v->origin + v->moved - slots < RELEASE_SLOTS); /* invariant 3 */
			table_free(&v->old);
			return;
		} else if (v->moved >= goal) {
			v->moved++;
			break;
		}
	}
	release_moved(v);
}

static int grow(struct visited *v)
{
	while (growing(v))
		move_some(v);
	u32 slots_log = v->now.slots ? 64 - v->now.shift + 1 : FIRST_SLOTS_LOG;
	struct visited_table made;
	int rc = table_make(&made, slots_log, v->with_depths);
	if (rc < 0)
		return rc;
	v->old = v->now;
	v->now = made;
	v->limit = (made.mask + 1) / 4 * 3;
	v->moved = v->released = v->origin = 0;
	if (growing(v)) {
		while (!is_empty(v->old.slots[v->origin]))
			v->origin++;
		v->origin = (v->origin + 1) & v->old.mask;
	}
	return 0;
}

static int insert(struct visited *v, struct fingerprint fp, u32 depth, u32 *was)
{
	fp = representable(fp);
	if (hd_unlikely(v->count >= v->limit)) {
		/* A full table must still answer for what it knows. */
		int rc = visited_contains(v, fp) ? 0 : grow(v);
		if (rc < 0)
			return rc;
	}
	u64 h = hash(fp);
	const struct visited_table *t = table_of(v, h);
	if (v->with_depths) /* both misses at a time */
		__builtin_prefetch(&t->depths[h >> t->shift], 1);
	u64 i = table_probe(t, h, fp);
	if (is_empty(t->slots[i])) {
		t->slots[i] = fp;
		if (v->with_depths)
			t->depths[i] = depth;
		v->count++;
		if (hd_unlikely(growing(v)))
			move_some(v);
		return 1;
	}
	if (!v->with_depths)
		return 0;
	*was = t->depths[i];
	if (t->depths[i] <= depth)
		return 0;
	t->depths[i] = depth;
	return VISITED_CLOSER;
}

int visited_insert(struct visited *v, struct fingerprint fp)
{
	u32 was;
	hd_assert(!v->with_depths);
	return insert(v, fp, 0, &was);
}

int visited_insert_depth(struct visited *v, struct fingerprint fp, u32 depth, u32 *was)
{
	hd_assert(v->with_depths || !v->count);
	v->with_depths = true;
	return insert(v, fp, depth, was);
}

/* A number is a depth that is never reached again by a smaller one. */
int visited_insert_number(struct visited *v, struct fingerprint fp, u32 number, u32 *was)
{
	return visited_insert_depth(v, fp, number, was);
}

bool visited_contains(const struct visited *v, struct fingerprint fp)
{
	if (!v->now.slots)
		return false;
	fp = representable(fp);
	u64 h = hash(fp);
	const struct visited_table *t = table_of(v, h);
	return !is_empty(t->slots[table_probe(t, h, fp)]);
}

static void table_each(const struct visited_table *t, void (*fn)(void *self, struct fingerprint fp),
		       void *self)
{
	for (u64 i = 0; i < table_slots(t); i++)
		if (!is_empty(t->slots[i]))
			fn(self, t->slots[i]);
}

void visited_each(const struct visited *v, void (*fn)(void *self, struct fingerprint fp), void *self)
{
	table_each(&v->now, fn, self);
	table_each(&v->old, fn, self); /* moved slots are empty */
}

void visited_reset(struct visited *v)
{
	table_free(&v->now);
	table_free(&v->old);
	*v = (struct visited){0};
}

u64 visited_bytes(const struct visited *v)
{
	u64 slot = sizeof(struct fingerprint) + (v->with_depths ? sizeof(u32) : 0);
	if (!growing(v))
		return table_slots(&v->now) * slot;
	/* Invariant 1: two new slots are in use for each moved one. */
	return (v->old.mask + 1 - v->released + 2 * HD_MIN(v->moved, v->old.mask + 1)) * slot;
}
