/*
 * All memory here is persistent, but for the numbers of the sets: fiber.window, model.gone_window.
 *
 * Threads that are gone. Who joins a thread knows all it did, and has its slot cleared, with its window.
 * Nobody has to know that a detached thread has ended: once there were such threads, the windows of all
 * that are gone are kept, as one set that only grows.
 *
 * New threads know what their creator did before it made them, although the creation is merged into its step.
 * So each access has the number of threads that the step had made by then, and the set says which ones.
 */
#include "runtime/memory/window.h"

#include "base/pages.h"
#include "base/table.h"
#include "runtime/memory/lockset.h"
#include "runtime/memory/shadow.h"
#include "runtime/memory/memory_news.h"
#include "runtime/rt.h"
#include "runtime/sched/access.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/held.h"
#include "state/fingerprint.h"

void *memcpy(void *to, const void *from, size_t n);

struct use {
	u64 start, end;
	u64 lock_key; /* of `locks`: numbers of locksets are not the same in every process */
	u32 locks;    /* held at the access */
	u32 ever;     /* … or since the step began; 0 in sets that are kept */
	u8 births;    /* threads made by then */
	u8 write, freed;
};

struct region_use {
	u64 region;
	u64 write;
};

/* Uses of one kind (all but start and end are the same) are neighbours, ascending and disjoint. */
struct window_set {
	u32 uses, births, regions;
	struct use *use;
	u32 *birth;                /* slots */
	struct region_use *region; /* for footprints, see region_object */
};

struct set_entry {
	u64 key;
	struct window_set *set;
};
static struct table sets = TABLE_OF(struct set_entry);

static struct {
	u64 step;
	u64 moment; /* grows whenever an access would make another use of the same bytes */
	u64 changes;
	u32 births;
	struct pages_vec uses; /* struct use, in the order of the accesses */
} now;

/* The windows as they were before the step. */
static struct {
	u32 fibers;
	u64 window[LAYOUT_MAX_FIBERS];
} before;

static HD_NORETURN void no_memory(void)
{
	hd_panic(__FILE__, __LINE__, "out of memory for what the program's threads access");
}

/* --- while a step runs --- */

#define NOTED_BITS (2 * SHADOW_GRAIN)

static void look_at_moment(void)
{
	const u32 *slots;
	u32 births = fiber_births(&slots);
	if (now.step != sched_steps()) {
		now.step = sched_steps();
		now.uses.len = 0;
	} else if (now.changes == held_changes() && now.births == births) {
		return;
	}
	now.changes = held_changes();
	now.births = births;
	now.moment++;
}

u64 window_moment(void)
{
	look_at_moment();
	return now.moment << NOTED_BITS;
}

static u32 use_count(void)
{
	return (u32)(now.uses.len / sizeof(struct use));
}

static struct use *uses(void)
{
	return (struct use *)now.uses.data;
}

static void add_use(const struct use *u)
{
	struct use *last = use_count() ? &uses()[use_count() - 1] : NULL;
	if (last && last->end == u->start && last->locks == u->locks && last->ever == u->ever &&
	    last->births == u->births && last->write == u->write && last->freed == u->freed) {
		last->end = u->end;
		return;
	}
	last = pages_vec_push(&now.uses, sizeof(*last));
	if (!last)
		no_memory();
	*last = *u;
}

static struct use use_of(u64 start, u64 end, bool write)
{
	u32 locks = held_locks(write);
	return (struct use){.start = start,
			    .end = end,
			    .lock_key = lockset_key(locks),
			    .locks = locks,
			    .ever = held_ever(write),
			    .births = (u8)now.births,
			    .write = write};
}

/* Slots from here on are one user, whom nobody is known to know. */
#define MANY_USERS 63u
static u64 user_bit(u32 slot)
{
	return 1UL << HD_MIN(slot, MANY_USERS);
}

static void note_user(struct cell_more *m, u64 address, u32 slot)
{
	u64 bit = user_bit(slot);
	if (hd_likely(m->users & bit))
		return;
	m->users |= bit;
	tell_cell(TELL_NOTED, address, slot, 0, LOCKSET_NONE);
	if (m->dropped)
		sched_want_restart_soon();
}

void window_noted_by(u64 address, u32 slot)
{
	note_user(shadow_more(address), address, slot);
}

/* Was this access of some bytes of a cell noted since the last change of what matters? Notes it. */
static bool noted(u64 address, u64 bytes, bool write)
{
	struct cell_more *m = shadow_more(address);
	note_user(m, address, sched_self_slot());
	u64 mask = ((1UL << bytes) - 1) << address % SHADOW_GRAIN << (write ? SHADOW_GRAIN : 0);
	if (m->noted >> NOTED_BITS != now.moment)
		m->noted = now.moment << NOTED_BITS;
	bool known = (m->noted & mask) == mask;
	m->noted |= mask;
	return known;
}

void window_note(u64 address, u64 size, bool write)
{
	look_at_moment();
	for (u64 a = address, end; a < address + size; a = end) {
		end = HD_MIN((a / SHADOW_GRAIN + 1) * SHADOW_GRAIN, address + size);
		u32 level = shadow_cell(a)->level;
		if ((level != CELL_SHARED && level != CELL_HANDED) || noted(a, end - a, write))
			continue;
		struct use u = use_of(a, end, write);
		add_use(&u);
	}
}

/* Takes these bytes out of all uses of the step. */
static void cut(u64 start, u64 end)
{
	for (u32 i = 0, n = use_count(); i < n; i++) {
		struct use *u = &uses()[i], rest = *u;
		if (u->freed || u->end <= start || u->start >= end)
			continue;
		u->end = HD_MAX(u->start, HD_MIN(u->end, start));
		rest.start = end;
		if (rest.end <= end)
			continue;
		struct use *at = pages_vec_push(&now.uses, sizeof(*at));
		if (!at)
			no_memory();
		*at = rest;
	}
}

void window_note_freed(u64 address, u64 size)
{
	look_at_moment();
	cut(address, address + size);
	for (u64 a = address & ~(u64)(SHADOW_GRAIN - 1); a < address + size; a += SHADOW_GRAIN) {
		if (shadow_cell(a)->level == CELL_QUIET)
			continue;
		struct use u = use_of(a, a + SHADOW_GRAIN, true);
		u.freed = 1;
		add_use(&u);
	}
	now.moment++; /* who gets the bytes next accesses them anew */
}

/* --- sets --- */

static int compare(const struct use *a, const struct use *b)
{
	if (a->lock_key != b->lock_key)
		return a->lock_key < b->lock_key ? -1 : 1;
	if (a->ever != b->ever)
		return a->ever < b->ever ? -1 : 1;
	u32 x = (u32)(a->births << 2 | a->write << 1 | a->freed),
	    y = (u32)(b->births << 2 | b->write << 1 | b->freed);
	if (x != y)
		return x < y ? -1 : 1;
	return a->start == b->start ? 0 : a->start < b->start ? -1 : 1;
}

static bool same_kind(const struct use *a, const struct use *b)
{
	return a->lock_key == b->lock_key && a->ever == b->ever && a->births == b->births &&
	       a->write == b->write && a->freed == b->freed;
}

/* Shell's sort: mostly they are in order, or nearly. */
static void sort(struct use *u, u32 n)
{
	u32 gap = 1;
	while (gap < n / 3)
		gap = gap * 3 + 1;
	for (; gap; gap /= 3)
		for (u32 i = gap; i < n; i++) {
			struct use moving = u[i];
			u32 j = i;
			for (; j >= gap && compare(&u[j - gap], &moving) > 0; j -= gap)
				u[j] = u[j - gap];
			u[j] = moving;
		}
}

/* Sorts, joins what overlaps or touches, drops what is empty; returns how many remain. */
static u32 normalise(struct use *u, u32 n)
{
	u32 kept = 0;
	sort(u, n);
	for (u32 i = 0; i < n; i++) {
		if (u[i].start >= u[i].end)
			continue;
		if (kept && same_kind(&u[kept - 1], &u[i]) && u[i].start <= u[kept - 1].end)
			u[kept - 1].end = HD_MAX(u[kept - 1].end, u[i].end);
		else
			u[kept++] = u[i];
	}
	return kept;
}

/* Memory that is never given back. */
static void *keep(size_t bytes)
{
	static char *at;
	static size_t left;
	bytes = HD_ROUND_UP(bytes, 16);
	if (bytes > left) {
		left = HD_MAX((size_t)1 << 18, HD_ROUND_UP(bytes, HD_PAGE));
		at = pages_map(left);
		if (!at)
			no_memory();
	}
	void *p = at;
	at += bytes;
	left -= bytes;
	return p;
}

static u64 mix(u64 hash, const void *p, size_t n)
{
	return (hash ^ XXH3_64bits(p, n)) * 0x9e3779b97f4a7c15u + 1;
}

static u64 hash_of(const struct use *u, u32 n, const u32 *birth, u32 births)
{
	u64 hash = mix(n, birth, births * sizeof(*birth));
	for (u32 i = 0; i < n; i++) {
		u64 words[] = {u[i].start, u[i].end, u[i].lock_key, (u64)u[i].births << 1 | u[i].write};
		hash = mix(hash, words, sizeof(words));
	}
	return hash ? hash : 1;
}

static const struct window_set *set_of(u64 number)
{
	const struct set_entry *e = number ? table_find(&sets, number) : NULL;
	return e ? e->set : NULL;
}

/*
 * What a step's accesses and the end of a window have in common, for footprints. Two objects for each region
 * of memory (the cells of one lesson): accesses of any kind look at the first, writes at the second, too. A
 * window that closes changes the first if it has a write in it, the second if it has a read. So what does not
 * commute is a conflicting access and the end of the window that it would have been made in.
 */
static u64 region_object(u64 region, bool second)
{
	return object_id(OBJECT_WINDOW, region << 1 | second);
}

static void add_region(struct pages_vec *found, struct region_use r)
{
	struct region_use *f = (struct region_use *)found->data;
	u64 n = found->len / sizeof(*f);
	for (u64 i = 0; i < n; i++)
		if (f[i].region == r.region && f[i].write == r.write)
			return;
	if (n == FOOTPRINT_MAX) /* then the footprint is full, which says it all */
		return;
	f = pages_vec_push(found, sizeof(*f));
	if (!f)
		no_memory();
	*f = r;
}

/* Collects the regions of a set. */
static void find_regions(struct window_set *s)
{
	static struct pages_vec found;
	found.len = 0;
	for (u32 i = 0; i < s->uses; i++) {
		const struct use *u = &s->use[i];
		u64 last = 0;
		for (u64 a = u->start; a < u->end; a = (a / SHADOW_GRAIN + 1) * SHADOW_GRAIN) {
			u64 region = shadow_more(a)->region;
			if (a == u->start || region != last)
				add_region(&found, (struct region_use){region, u->write});
			last = region;
		}
	}
	s->regions = (u32)(found.len / sizeof(*s->region));
	s->region = keep(found.len);
	memcpy(s->region, found.data, found.len);
}

void window_regions_moved(void)
{
	for (struct set_entry *e = NULL; (e = table_next(&sets, e)) != NULL;)
		find_regions(e->set);
}

/* The number of the set of these uses, which have been normalised. */
static u64 number_of(const struct use *u, u32 n, const u32 *birth, u32 births)
{
	if (!n)
		return 0;
	u64 number = hash_of(u, n, birth, births);
	struct set_entry *e = table_add(&sets, number);
	if (!e)
		no_memory();
	if (e->set)
		return number;
	struct window_set *s = keep(sizeof(*s));
	s->uses = n;
	s->births = births;
	s->use = keep(n * sizeof(*u));
	s->birth = keep(births * sizeof(*birth));
	memcpy(s->use, u, n * sizeof(*u));
	if (births)
		memcpy(s->birth, birth, births * sizeof(*birth));
	find_regions(s);
	e->set = s;
	return number;
}

/* --- conflicts --- */

static u32 end_of_kind(const struct use *u, u32 from, u32 n)
{
	u32 to = from;
	while (to < n && same_kind(&u[from], &u[to]))
		to++;
	return to;
}

static void compare_kinds(const struct use *a, u32 n, const struct use *b, u32 m, void (*conflict)(u64, u64))
{
	for (u32 i = 0, j = 0; i < n && j < m;) {
		u64 start = HD_MAX(a[i].start, b[j].start), end = HD_MIN(a[i].end, b[j].end);
		if (start < end)
			conflict(start, end);
		if (a[i].end <= b[j].end)
			i++;
		else
			j++;
	}
}

/* The step's own uses, against the window of another. knows: how many of its births make it known to us. */
static void compare_sets(const struct use *mine, u32 n, const struct window_set *s, u32 knows,
			 void (*conflict)(u64, u64))
{
	for (u32 i = 0, i_end; i < n; i = i_end) {
		i_end = end_of_kind(mine, i, n);
		for (u32 j = 0, j_end; j < s->uses; j = j_end) {
			j_end = end_of_kind(s->use, j, s->uses);
			if (s->use[j].births < knows || !(mine[i].write | s->use[j].write) ||
			    lockset_meet(mine[i].ever, s->use[j].locks) != LOCKSET_NONE)
				continue;
			compare_kinds(mine + i, i_end - i, s->use + j, j_end - j, conflict);
		}
	}
}

/* The slot is the how-many-th thread made by the step whose window this is? 0: it is not. */
static u32 birth_in(const struct window_set *s, u32 slot)
{
	for (u32 i = 0; i < s->births; i++)
		if (s->birth[i] == slot)
			return i + 1;
	return 0;
}

static void compare_all(u32 slot, const struct use *mine, u32 n, void (*conflict)(u64, u64))
{
	for (u32 i = 0; n && i < sched_fiber_limit(); i++) {
		const struct fiber *f = &model->fiber[i];
		const struct window_set *s = i == slot ? NULL : set_of(f->window);
		if (s)
			compare_sets(mine, n, s, birth_in(s, slot), conflict);
	}
	const struct window_set *gone = n ? set_of(model->gone_window) : NULL;
	if (gone)
		compare_sets(mine, n, gone, 0, conflict);
}

/* --- around a step --- */

void window_step_begins(void)
{
	before.fibers = sets.count ? sched_fiber_limit() : 0;
	for (u32 i = 0; i < before.fibers; i++)
		before.window[i] = model->fiber[i].window;
}

/* The windows of threads that are gone become one. */
static void keep_gone(u64 number)
{
	static struct pages_vec both;
	const struct window_set *from[] = {set_of(model->gone_window), set_of(number)};
	both.len = 0;
	for (u32 i = 0; i < HD_ARRAY_LEN(from); i++) {
		struct use *u = from[i] ? pages_vec_push(&both, from[i]->uses * sizeof(*u)) : NULL;
		if (from[i] && !u)
			no_memory();
		for (u32 j = 0; u && j < from[i]->uses; j++) {
			u[j] = from[i]->use[j];
			u[j].births = 0;
		}
	}
	u32 n = normalise((struct use *)both.data, (u32)(both.len / sizeof(struct use)));
	model->gone_window = number_of((struct use *)both.data, n, NULL, 0);
}

static void declare_access(u64 region, bool write)
{
	for (u32 second = 0; second <= write; second++)
		access_declare(region_object(region, second), 1, ACCESS_READ);
}

static void declare_accesses(u64 number)
{
	const struct window_set *s = set_of(number);
	for (u32 i = 0; s && i < s->regions; i++)
		declare_access(s->region[i].region, s->region[i].write);
}

static void declare_freed(const struct use *u)
{
	for (u64 a = u->start; a < u->end; a += SHADOW_GRAIN)
		declare_access(shadow_more(a)->region, true);
}

static void declare_closed(u64 number)
{
	const struct window_set *s = set_of(number);
	for (u32 i = 0; s && i < s->regions; i++)
		access_declare(region_object(s->region[i].region, !s->region[i].write), 1, ACCESS_ADD);
}

/* Windows of threads that the step has joined, or whose slots were given back otherwise. */
static void close_gone(u32 slot)
{
	for (u32 i = 0; i < before.fibers; i++) {
		u64 window = before.window[i];
		if (!window || i == slot || model->fiber[i].window == window)
			continue;
		declare_closed(window);
		if (fiber_ever_detached())
			keep_gone(window);
	}
}

/*
 * Do all who ever use this cell know of the access, because it was made before they were? Then it need not be
 * in the window. If somebody else uses the cell one day, the search starts again (note_user).
 */
static bool is_known_to_all(u64 address, u32 slot, u32 births_by_then, const u32 *birth, u32 births)
{
	struct cell_more *m = shadow_more(address);
	for (u64 left = m->users & ~user_bit(slot); left; left &= left - 1) {
		u32 user = (u32)__builtin_ctzl(left), at = births_by_then;
		while (at < births && birth[at] != user)
			at++;
		if (at == births || user == MANY_USERS)
			return false;
	}
	m->dropped = 1;
	return true;
}

/* A use, without what all others know of. */
static void keep_unknown(const struct use *u, u32 slot, const u32 *birth, u32 births, struct pages_vec *out)
{
	struct use part = *u;
	for (u64 a = u->start, next; a < u->end; a = next) {
		next = HD_MIN((a / SHADOW_GRAIN + 1) * SHADOW_GRAIN, u->end);
		bool known = u->births < births && is_known_to_all(a, slot, u->births, birth, births);
		if (known)
			declare_access(shadow_more(a)->region, u->write);
		else if (next < u->end)
			continue;
		part.end = known ? a : next;
		struct use *at = part.start < part.end ? pages_vec_push(out, sizeof(*at)) : NULL;
		if (at)
			*at = part;
		else if (part.start < part.end)
			no_memory();
		part.start = next;
	}
}

/* The window that the step's uses leave behind. */
static u64 new_window(u32 slot, u32 n)
{
	static struct pages_vec kept;
	const u32 *birth;
	u32 births = fiber_births(&birth);
	kept.len = 0;
	for (u32 i = 0; i < n; i++) {
		struct use u = uses()[i];
		u.ever = 0;
		if (u.freed)
			declare_freed(&u);
		else
			keep_unknown(&u, slot, birth, births, &kept);
	}
	n = normalise((struct use *)kept.data, (u32)(kept.len / sizeof(struct use)));
	return number_of((struct use *)kept.data, n, birth, births);
}

void window_step_ends(u32 slot, bool aside, void (*conflict)(u64 start, u64 end))
{
	u32 n = now.step == sched_steps() ? use_count() : 0;
	if (hd_likely(!sets.count && !n))
		return;
	close_gone(slot);
	if (aside && !n)
		return;
	n = normalise(uses(), n);
	compare_all(slot, uses(), n, conflict);
	u64 number = new_window(slot, n);
	declare_accesses(number);
	if (slot < before.fibers)
		declare_closed(before.window[slot]);
	now.step = 0;
	struct fiber *f = &model->fiber[slot];
	if (f->life == FIBER_FREE)
		keep_gone(number);
	else if (f->window != number)
		f->window = number;
}
