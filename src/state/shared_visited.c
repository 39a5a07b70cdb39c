/*
 * Open addressing with linear probing, as in visited.c. The table of 2^k slots lies at a place of its own in
 * the region, 2^k slots behind its start, so that an old and a new one never overlap:
 *
 *     region  | unused | 2^16 slots | 2^17 slots       | 2^18 slots                          | …
 *
 * Invariants:
 *  1. A slot is empty ({0,0}), or holds a fingerprint for good; only MARKS may be added to it. The
 *     two halves are read one after the other, so a reader may see one of them empty: then the
 *     compare-and-swap tells what is there.
 *  2. A fingerprint lies in the first slot from its home on that was empty when it came, and slots never
 *     become empty again; so who inserts the same one later meets it, or loses the compare-and-swap to it.
 *  3. At most 7/8 of the slots are in use, plus what workers insert between two looks at the sum.
 */
#include "state/shared_visited.h"

#include <asm-generic/errno-base.h>
#include <linux/mman.h>
#include <sys/syscall.h>

#include "base/sys.h"

#define FIRST_SLOTS_LOG 16
#define LAST_SLOTS_LOG 35
#define SLOT sizeof(struct fingerprint)
#define MARKS (SHARED_CLOSED | SHARED_ESCAPES)
#define CHUNK (1UL << 14) /* slots that a worker moves at a time */

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static u32 slots_log(const struct shared_table *t)
{
	return FIRST_SLOTS_LOG + t->shared->grown;
}

static struct fingerprint *table_at(const struct shared_table *t, u32 log)
{
	return (struct fingerprint *)(t->region + (SLOT << log));
}

/* Never {0,0}, and without MARKS. */
struct fingerprint shared_visited_key(struct fingerprint fp)
{
	fp.hi &= ~MARKS;
	if (hd_unlikely(!(fp.lo | fp.hi)))
		return (struct fingerprint){0x8c7f0aac97c4aa2full, 0x38fc5a1f0eb7a3cdull};
	return fp;
}

static u64 hash(struct fingerprint fp)
{
	return (fp.lo ^ fp.hi * 0x9fb21c651e98df25ull) * 0x9e3779b97f4a7c15ull;
}

/* Puts `fp` into the slot if it is empty; else tells what is there. */
static bool claim(struct fingerprint *slot, struct fingerprint fp, struct fingerprint *there)
{
	bool done;
	*there = (struct fingerprint){0, 0};
	__asm__ volatile("lock cmpxchg16b %1"
			 : "=@ccz"(done), "+m"(*slot), "+a"(there->lo), "+d"(there->hi)
			 : "b"(fp.lo), "c"(fp.hi)
			 : "memory");
	return done;
}

static struct fingerprint look(const struct fingerprint *slot)
{
	return (struct fingerprint){__atomic_load_n(&slot->lo, __ATOMIC_ACQUIRE),
				    __atomic_load_n(&slot->hi, __ATOMIC_ACQUIRE)};
}

static bool same(struct fingerprint there, struct fingerprint fp)
{
	return there.lo == fp.lo && (there.hi & ~MARKS) == fp.hi;
}

/* `put` is `fp`, perhaps with marks. */
static int insert(struct fingerprint *table, u32 log, struct fingerprint fp, struct fingerprint put)
{
	u64 mask = (1UL << log) - 1;
	for (u64 i = hash(fp) >> (64 - log);; i = (i + 1) & mask) {
		struct fingerprint there = look(&table[i]);
		if (same(there, fp))
			return 0;
		if (hd_likely(there.lo && there.hi))
			continue;
		if (claim(&table[i], put, &there))
			return 1;
		if (same(there, fp))
			return 0;
	}
}

int shared_visited_insert(const struct shared_table *t, struct fingerprint fp)
{
	fp = shared_visited_key(fp);
	u32 log = slots_log(t);
	return insert(table_at(t, log), log, fp, fp);
}

/* The slot of a fingerprint; NULL: it is not there. */
static struct fingerprint *find(const struct shared_table *t, struct fingerprint fp)
{
	u32 log = slots_log(t);
	u64 mask = (1UL << log) - 1;
	struct fingerprint *table = table_at(t, log);
	for (u64 i = hash(fp) >> (64 - log);; i = (i + 1) & mask) {
		struct fingerprint there = look(&table[i]);
		if (same(there, fp))
			return &table[i];
		if (!there.lo && !there.hi)
			return NULL;
	}
}

bool shared_visited_mark(const struct shared_table *t, struct fingerprint fp, u64 mark)
{
	struct fingerprint *slot = find(t, shared_visited_key(fp));
	if (slot)
		__atomic_fetch_or(&slot->hi, mark, __ATOMIC_RELEASE);
	return slot;
}

bool shared_visited_is(const struct shared_table *t, struct fingerprint fp, u64 mark)
{
	const struct fingerprint *slot = find(t, shared_visited_key(fp));
	return slot && __atomic_load_n(&slot->hi, __ATOMIC_ACQUIRE) & mark;
}

u64 shared_visited_limit(const struct shared_table *t)
{
	return t->shared->poured ? ~0ull : (1UL << slots_log(t)) / 8 * 5;
}

u64 shared_visited_last_limit(const struct shared_table *t)
{
	return t->shared->poured ? ~0ull : (1UL << slots_log(t)) / 8 * 7;
}

u64 shared_visited_bytes(const struct shared_table *t)
{
	return t->shared->poured && !t->shared->pouring ? t->shared->poured : SLOT << slots_log(t);
}

static void give_back(const struct shared_table *t, u32 log)
{
	sys_call3(SYS_madvise, (long)table_at(t, log), (long)(SLOT << log), MADV_REMOVE);
}

int shared_visited_grow(const struct shared_table *t)
{
	u32 log = slots_log(t) + 1;
	if (log > LAST_SLOTS_LOG)
		return -ENOMEM;
	long got = sys_call3(SYS_madvise, (long)table_at(t, log), (long)(SLOT << log), MADV_POPULATE_WRITE);
	if (sys_failed(got) && got != -EINVAL) { /* EINVAL: a kernel that takes memory as it is touched */
		give_back(t, log);
		return -ENOMEM;
	}
	t->shared->moved = 0;
	t->shared->moving = 1;
	return 0;
}

/* Hands the entries of the table to `take`, chunk by chunk, those that no other worker has handed over. */
static void drain(const struct shared_table *t, void (*take)(void *arg, struct fingerprint entry), void *arg)
{
	u32 log = slots_log(t);
	const struct fingerprint *from = table_at(t, log);
	for (;;) {
		u64 first = __atomic_fetch_add(&t->shared->moved, CHUNK, __ATOMIC_ACQ_REL);
		if (first >= 1UL << log)
			return;
		for (u64 i = first; i < first + CHUNK; i++)
			if (from[i].lo | from[i].hi)
				take(arg, from[i]);
	}
}

static struct fingerprint unmarked(struct fingerprint entry)
{
	return (struct fingerprint){entry.lo, entry.hi & ~MARKS};
}

struct larger {
	struct fingerprint *at;
	u32 log;
};

static void move_entry(void *arg, struct fingerprint entry)
{
	const struct larger *to = arg;
	insert(to->at, to->log, unmarked(entry), entry);
}

void shared_visited_move(const struct shared_table *t)
{
	u32 log = slots_log(t) + 1;
	hd_assert(t->shared->moving);
	drain(t, move_entry, &(struct larger){table_at(t, log), log});
}

void shared_visited_grown(const struct shared_table *t)
{
	hd_assert(t->shared->moving && t->shared->moved >= 1UL << slots_log(t));
	give_back(t, slots_log(t));
	t->shared->grown++;
	t->shared->moving = 0;
}

void shared_visited_filter(const struct shared_table *t, u64 bytes)
{
	/* In the place of the next larger table, which there will not be. */
	t->shared->poured = HD_MIN(bytes, SLOT << (slots_log(t) + 1));
	t->shared->moved = 0;
	t->shared->pouring = 1;
}

struct filter {
	void (*add)(void *self, struct fingerprint fp);
	void *self;
};

static void pour_entry(void *arg, struct fingerprint entry)
{
	const struct filter *f = arg;
	f->add(f->self, unmarked(entry));
}

void shared_visited_pour(const struct shared_table *t, void (*add)(void *self, struct fingerprint fp),
			 void *self)
{
	drain(t, pour_entry, &(struct filter){add, self});
}

void shared_visited_poured(const struct shared_table *t)
{
	give_back(t, slots_log(t));
	t->shared->pouring = 0;
}

void *shared_visited_filter_at(const struct shared_table *t, u64 *bytes)
{
	*bytes = t->shared->poured;
	return table_at(t, slots_log(t) + 1);
}

void shared_visited_reset(const struct shared_table *t)
{
	give_back(t, slots_log(t));
	if (t->shared->moving || t->shared->poured)
		give_back(t, slots_log(t) + 1);
	*t->shared = (struct shared_visited){0};
}
