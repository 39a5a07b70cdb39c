/*
 * What happens before what.
 *
 * A race that shows itself under sequential consistency is a state in which two fibers stand before their
 * accesses (race.c). With atomics that acquire and release, there is no other: whatever is not ordered can be
 * brought side by side. With weaker ones there is: the value of a relaxed flag is seen, and orders the
 * threads in all executions that we explore, but not in the language's eyes. So, once a program does a weaker
 * atomic operation that others can see (learnt.weak), happens-before is followed.
 *
 * Vector clocks would tell states apart that are equal, since clocks count. But to judge later accesses it is
 * enough to know, for each place, the last accesses to it (items), and who knows of each of them. So:
 *
 *   unit     a place in memory whose plain accesses are steps: 4 bytes, or 1 where smaller accesses are made;
 *   item     (unit, fiber, kind): the fiber's last access of that kind (plain or atomic, read or write);
 *   knower   who or what carries knowledge of items: fibers, synchronisation objects, atomic variables;
 *            beside these for each fiber what it knew at its last release fence, and what an acquire fence
 *            would tell it.
 *
 * Each knower has one bit for each item, in planes of 16 fibers. Synchronisation is the union of bits; an
 * access clears the bit of its item everywhere and sets it for its own fiber. An access races with an item of
 * another fiber that conflicts with it and that its fiber does not know of. A plain write that does not race
 * replaces all items of the unit: whoever races with one of them later races with this write, too. Items that
 * all living fibers know of are dropped.
 *
 * All of that is model memory, hence part of the state: executions that differ in it are not matched, and no
 * race is lost. Two executions with the same state and the same bits have the same races before them. Nothing
 * is counted, so there are finitely many, and a program without weaker atomics, or whose plain data are all
 * under locks, has none of it.
 *
 * Everything is kept twice: with the orders as written, and as if all atomics were sequentially consistent.
 * Reported is what is ordered in the second reading only. What is ordered in neither is found by race.c, in
 * an execution where the two stand side by side; unless they are synchronised by code that we don't see, and
 * then it is no race. Libraries that are not instrumented may also synchronise what is ordered in the second
 * reading: see is_foreign.
 *
 * Who knows what through an object that is no atomic variable follows from the footprint of the step: READ,
 * ADD, ACQUIRE and TRY learn, RELEASE teaches, WRITE does both. That is sometimes more than the standard
 * says (a semaphore's poster whose post somebody else took), never less.
 *
 * A relaxed store ends the release sequence of other fibers; that of its own fiber goes on, as in C11 (C++20
 * would end it, too). Consume is acquire. Volatile is relaxed: its values are seen, but it orders nothing,
 * unless atomic instructions in assembly work on the same place: there somebody makes atomics of his own.
 */
#include "runtime/memory/order.h"
#include "runtime/memory/order_places.h"
#include "runtime/memory/order_strength.h"

#include "base/pages.h"
#include "base/table.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/shadow.h"
#include "runtime/memory/unseen.h"
#include "runtime/rt.h"
#include "runtime/sched/access.h"
#include "runtime/sched/fiber.h"
#include "wire/wire.h"

#define UNITS WIRE_MAX_ORDERED
#define KNOWERS WIRE_MAX_KNOWERS
#define KINDS 4u
#define ITEMS 64u /* in a set of 64 bits: those of some fibers, a plane */
#define PLANE_FIBERS (ITEMS / KINDS)
#define PLANES (ORDER_FIBERS / PLANE_FIBERS) /* most programs use the first one only */
enum kind { PLAIN_READ, PLAIN_WRITE, ATOMIC_READ, ATOMIC_WRITE };

/* What one knower knows of the items of one unit. */
struct known {
	u64 written;    /* with the orders as written */
	u64 sequential; /* as if all atomics were sequentially consistent; holds `written` */
};

/* In squares of a page each, so that few knowers and few units touch few pages. */
#define SIDE 16u
struct square {
	struct known known[SIDE][SIDE]; /* [knower][unit] */
};

struct plane {
	u64 item[UNITS];
	struct square square[KNOWERS / SIDE][UNITS / SIDE];
	u64 pc[UNITS][ITEMS]; /* only if races are ignored, which are known by their places */
};
static struct plane *const plane = (void *)MODEL_ORDER_BASE;
_Static_assert(PLANES * sizeof(struct plane) <= MODEL_ORDER_SIZE, "it fits");

/* --- what is persistent --- */

struct number {
	u64 key;
	u32 number;
};
static struct table knowers = TABLE_OF(struct number);
static u64 (*pcs[PLANES])[ITEMS];
static u64 looked_at[ORDER_FIBERS]; /* the volatile variable that each fiber has read last, on this path */
static u64 stepped;                 /* the step's own access: its footprint is no synchronisation */

static bool is_on(void)
{
	return hd_unlikely(rt_lessons.weak != 0);
}

static u32 units(void)
{
	return rt_wire->learnt.ordered;
}

static u32 planes(void)
{
	return HD_MIN((sched_fiber_limit() + PLANE_FIBERS - 1) / PLANE_FIBERS, PLANES);
}

static u64 *pc_of(u32 p, u32 unit, u32 item)
{
	if (!pcs[p] && !rt_wire->config.ignored)
		pcs[p] = pages_map(sizeof(plane->pc));
	if (!pcs[p])
		pcs[p] = plane[p].pc;
	return &pcs[p][unit][item];
}

/* --- knowers --- */

#define NOBODY KNOWERS
/* Fibers themselves: classes behind those of objects. */
enum { CLASS_FIBER = OBJECT_CLASSES, CLASS_RELEASE_FENCE, CLASS_ACQUIRE_FENCE, CLASS_FOREIGN };

static u64 fiber_key(u32 which, u32 slot)
{
	return (u64)which << OBJECT_KEY_BITS | slot;
}

static u32 find_knower(u64 key)
{
	const struct number *n = table_find(&knowers, key);
	return n ? n->number : NOBODY;
}

static u32 add_knower(u64 key)
{
	u32 known = find_knower(key);
	if (known != NOBODY || order_left_out())
		return known;
	struct wire_learnt *l = &rt_wire->learnt;
	u32 number = learnt_place(l->knower, 0, KNOWERS, &l->knowers, key);
	struct number *n = number < KNOWERS ? table_add(&knowers, key) : NULL;
	if (!n) {
		order_leave_out(); /* from here on somebody may know more than we know of */
		return NOBODY;
	}
	n->number = number;
	return number;
}

static struct known *known_at(u32 p, u32 knower, u32 unit)
{
	return &plane[p].square[knower / SIDE][unit / SIDE].known[knower % SIDE][unit % SIDE];
}

/* Pages that don't change must not be written. */
static void set_known(struct known *k, u64 written, u64 sequential)
{
	if (k->written != written)
		k->written = written;
	if (k->sequential != sequential)
		k->sequential = sequential;
}

static bool knows_something(u32 p, u32 knower)
{
	for (u32 i = 0; knower != NOBODY && i < units(); i++)
		if (plane[p].item[i] &&
		    (known_at(p, knower, i)->written | known_at(p, knower, i)->sequential))
			return true;
	return false;
}

enum teach { TEACH_WRITTEN = 1, TEACH_SEQUENTIAL = 2, TEACH_BOTH = 3 };

/* `to` learns what `from` knows. */
static void teach(u64 to_key, u64 from_key, enum teach what)
{
	u32 from = find_knower(from_key);
	for (u32 p = 0; p < planes(); p++) {
		u32 to = knows_something(p, from) ? add_knower(to_key) : NOBODY;
		for (u32 i = 0; to != NOBODY && i < units(); i++) {
			struct known *t = known_at(p, to, i), *f = known_at(p, from, i);
			if (plane[p].item[i])
				set_known(t, t->written | (what & TEACH_WRITTEN ? f->written : 0),
					  t->sequential | (what & TEACH_SEQUENTIAL ? f->sequential : 0));
		}
	}
}

/* It forgets all but what `but` (a knower, or none) knows. */
static void forget(u64 key, u64 but_key, enum teach what)
{
	u32 who = find_knower(key), but = but_key ? find_knower(but_key) : NOBODY;
	for (u32 p = 0; who != NOBODY && p < planes(); p++)
		for (u32 i = 0; i < units(); i++) {
			struct known *k = known_at(p, who, i), none = {0},
				     *b = but == NOBODY ? &none : known_at(p, but, i);
			set_known(k, what & TEACH_WRITTEN ? k->written & b->written : k->written,
				  what & TEACH_SEQUENTIAL ? k->sequential & b->sequential : k->sequential);
		}
}

/* These items of the unit are no more. */
static void drop(u32 p, u32 unit, u64 items)
{
	if (!(plane[p].item[unit] & items))
		return;
	plane[p].item[unit] &= ~items;
	for (u32 k = 0; k < rt_wire->learnt.knowers; k++) {
		struct known *n = known_at(p, k, unit);
		set_known(n, n->written & ~items, n->sequential & ~items);
	}
}

/* --- accesses --- */

static u64 item_of(u32 slot, enum kind kind)
{
	return 1UL << (slot % PLANE_FIBERS * KINDS + kind);
}

static enum kind kind_of(u64 how)
{
	bool write = how & MEMORY_WRITE;
	if (how & (MEMORY_ATOMIC | MEMORY_VOLATILE))
		return write ? ATOMIC_WRITE : ATOMIC_READ;
	return write ? PLAIN_WRITE : PLAIN_READ;
}

#define ALL_FIBERS 0x1111111111111111UL
static u64 conflicting(u32 p, u32 slot, enum kind kind)
{
	static const u64 with[KINDS] = {
		[PLAIN_READ] = 1u << PLAIN_WRITE | 1u << ATOMIC_WRITE,
		[PLAIN_WRITE] = 0xf,
		[ATOMIC_READ] = 1u << PLAIN_WRITE,
		[ATOMIC_WRITE] = 1u << PLAIN_READ | 1u << PLAIN_WRITE,
	};
	u64 own = slot / PLANE_FIBERS == p ? 0xfUL << (slot % PLANE_FIBERS * KINDS) : 0;
	return with[kind] * ALL_FIBERS & ~own;
}

static void note_item(u32 unit, u32 slot, u64 how, u64 pc)
{
	enum kind kind = kind_of(how);
	u32 own = slot / PLANE_FIBERS;
	for (u32 p = 0; p < planes(); p++)
		drop(p, unit, kind == PLAIN_WRITE ? ~0UL : p == own ? item_of(slot, kind) : 0);
	if (own >= PLANES || how & MEMORY_FREED) {
		if (own >= PLANES)
			order_leave_out();
		return;
	}
	u32 me = add_knower(fiber_key(CLASS_FIBER, slot));
	if (me == NOBODY)
		return;
	u64 item = item_of(slot, kind);
	plane[own].item[unit] |= item;
	struct known *k = known_at(own, me, unit);
	set_known(k, k->written | item, k->sequential | item);
	*pc_of(own, unit, slot % PLANE_FIBERS * KINDS + kind) = pc;
}

struct accessing {
	u32 slot;
	u64 how, pc;
};
static bool access_unit(void *self, u32 unit, u64 address)
{
	const struct accessing *a = self;
	(void)address;
	note_item(unit, a->slot, a->how, a->pc);
	return true;
}

static void note_access(u64 address, u64 size, u32 how, u64 pc)
{
	for (u64 cell = address & ~(u64)(SHADOW_GRAIN - 1); cell < address + size; cell += SHADOW_GRAIN)
		if (shadow_is_visible(cell))
			order_place_used(cell, cell >= address && cell + SHADOW_GRAIN <= address + size, how);
	struct accessing a = {sched_self_slot(), how, pc};
	order_each_unit(address, size, access_unit, &a);
}

void order_access(u64 address, u64 size, u32 how, u64 pc)
{
	stepped = address;
	if (is_on())
		note_access(address, size, how, pc);
	if (!(how & MEMORY_WRITE) && how & MEMORY_VOLATILE && sched_self_slot() < ORDER_FIBERS)
		looked_at[sched_self_slot()] = address;
	if (how & MEMORY_VOLATILE)
		order_atomic(address, size, how & MEMORY_WRITE ? ORDER_STORE : ORDER_LOAD,
			     order_volatile_acts(address) ? __ATOMIC_SEQ_CST : __ATOMIC_RELAXED);
}

struct judging {
	u32 slot;
	enum kind kind;
	struct order_race *race;
	bool found;
};
static bool judge_plane(struct judging *j, u32 p, u32 unit, u64 address)
{
	u64 items = plane[p].item[unit] & conflicting(p, j->slot, j->kind), unordered = items, ordered = 0;
	const u64 mine[] = {fiber_key(CLASS_FIBER, j->slot), thread_object(j->slot)};
	for (u32 i = 0; items && i < HD_ARRAY_LEN(mine); i++) {
		u32 me = find_knower(mine[i]);
		if (me == NOBODY)
			continue;
		unordered &= ~known_at(p, me, unit)->written;
		ordered |= known_at(p, me, unit)->sequential;
	}
	if (!(unordered & ordered))
		return true;
	u32 item = (u32)__builtin_ctzl(unordered & ordered), kind = item % KINDS;
	*j->race = (struct order_race){.other = p * PLANE_FIBERS + item / KINDS,
				       .other_pc = *pc_of(p, unit, item),
				       .address = address,
				       .write = kind == PLAIN_WRITE || kind == ATOMIC_WRITE,
				       .atomic = kind == ATOMIC_READ || kind == ATOMIC_WRITE};
	u64 volatile_read = j->slot < ORDER_FIBERS ? looked_at[j->slot] : 0;
	u32 carrier = volatile_read ? find_knower(volatile_read) : NOBODY;
	if (carrier != NOBODY && known_at(p, carrier, unit)->sequential & 1UL << item)
		j->race->by_volatile = volatile_read;
	j->found = true;
	return false;
}

static bool judge_unit(void *self, u32 unit, u64 address)
{
	struct judging *j = self;
	for (u32 p = 0; p < planes(); p++)
		if (!judge_plane(j, p, unit, address))
			return false;
	return true;
}

bool order_race(u32 slot, struct order_race *r)
{
	const struct op *o = &model->fiber[slot].op;
	struct judging j = {.slot = slot, .kind = kind_of(o->arg), .race = r};
	if (is_on() && rt_wire->learnt.knowers < KNOWERS)
		order_each_unit(o->object, o->n, judge_unit, &j);
	return j.found;
}

/* --- atomics and fences --- */

/* What the step has synchronised with up to here. */
static void learn_from_footprint(u32 slot)
{
	const struct footprint *f = access_footprint();
	for (u32 i = 0; i < f->count; i++) {
		const struct access *a = &f->access[i];
		if (a->mode != ACCESS_RELEASE && a->object != stepped)
			teach(fiber_key(CLASS_FIBER, slot), a->object, TEACH_BOTH);
	}
}

static void fence(u32 slot, int order)
{
	u64 me = fiber_key(CLASS_FIBER, slot), at_release = fiber_key(CLASS_RELEASE_FENCE, slot);
	learn_from_footprint(slot);
	if (acquires(order))
		teach(me, fiber_key(CLASS_ACQUIRE_FENCE, slot), TEACH_WRITTEN);
	if (releases(order))
		teach(at_release, me, TEACH_WRITTEN);
}

static void load(u32 slot, u64 variable, int order)
{
	u64 me = fiber_key(CLASS_FIBER, slot);
	teach(me, variable, TEACH_SEQUENTIAL);
	teach(acquires(order) ? me : fiber_key(CLASS_ACQUIRE_FENCE, slot), variable, TEACH_WRITTEN);
}

static void store(u32 slot, u64 variable, int order, bool update)
{
	u64 me = fiber_key(CLASS_FIBER, slot);
	if (!update) {
		forget(variable, 0, TEACH_SEQUENTIAL);
		forget(variable, releases(order) ? 0 : me, TEACH_WRITTEN);
	}
	teach(variable, me, TEACH_SEQUENTIAL);
	teach(variable, releases(order) ? me : fiber_key(CLASS_RELEASE_FENCE, slot), TEACH_WRITTEN);
}

void order_atomic(u64 address, u64 size, enum order_what what, int order)
{
	u32 slot = sched_self_slot();
	if (!is_on()) {
		if (!is_weak(what, order) || sched_all_joined() || !shadow_is_visible(address))
			return;
		RT_LEARN(weak);
		sched_want_restart();
		return;
	}
	if (what == ORDER_FENCE)
		fence(slot, order);
	for (u64 a = address; what & ORDER_LOAD && a < address + size; a++)
		load(slot, a, order);
	if (what & ORDER_STORE)
		store(slot, address, order, what & ORDER_LOAD);
}

/* --- the end of a step --- */

/*
 * Code that is not instrumented synchronises by loads and stores that we don't see (libgomp's barriers).
 * Where it is at work, it leaves traces: atomic instructions, futexes, calls of functions that nobody looks
 * into. All of these count as meetings with each other.
 */
static bool is_foreign(const struct footprint *f)
{
	for (u32 i = 0; i < f->count; i++)
		if (object_class(f->access[i].object) == OBJECT_MEMORY && f->access[i].bytes > 1 &&
		    f->access[i].object != stepped)
			return true;
	return unseen_look();
}

static void meet_foreign(u32 slot)
{
	u64 me = fiber_key(CLASS_FIBER, slot), foreign = fiber_key(CLASS_FOREIGN, 1);
	teach(me, foreign, TEACH_BOTH);
	teach(foreign, me, TEACH_BOTH);
}

/* Objects whose uses are no synchronisation of the program's. */
static bool is_no_meeting(u64 object)
{
	switch (object_class(object)) {
	case OBJECT_WORLD:
	case OBJECT_PROCESS:
	case OBJECT_HEAP:
		return true;
	default:
		return object == stepped;
	}
}

static void fiber_is_gone(u32 slot)
{
	for (u32 which = CLASS_FIBER; which <= CLASS_ACQUIRE_FENCE; which++)
		forget(fiber_key(which, slot), 0, TEACH_BOTH);
}

static void teach_footprint(u32 slot)
{
	const struct footprint *f = access_footprint();
	for (u32 i = 0; i < f->count; i++) {
		const struct access *a = &f->access[i];
		if (is_no_meeting(a->object) ||
		    (a->mode != ACCESS_WRITE && a->mode != ACCESS_RELEASE && a->mode != ACCESS_MAKE))
			continue;
		u64 key = a->object & OBJECT_THREAD_SLOT;
		bool wakes = a->object == thread_wait_object((u32)key);
		teach(wakes ? thread_object((u32)key) : a->object, fiber_key(CLASS_FIBER, slot), TEACH_BOTH);
		if (object_class(a->object) == OBJECT_THREAD && key < LAYOUT_MAX_FIBERS &&
		    model->fiber[key].life == FIBER_FREE) {
			forget(thread_object((u32)key), 0, TEACH_BOTH);
			forget(thread_end_object((u32)key), 0, TEACH_BOTH);
			fiber_is_gone((u32)key);
		}
	}
	if (model->fiber[slot].life != FIBER_ALIVE)
		fiber_is_gone(slot);
}

/* What every living fiber knows, nobody can race with any more. */
static void drop_known(u32 p)
{
	for (u32 unit = 0; unit < units(); unit++) {
		u64 all = plane[p].item[unit];
		for (u32 slot = 0; all && slot < sched_fiber_limit(); slot++) {
			if (model->fiber[slot].life != FIBER_ALIVE)
				continue;
			u32 me = find_knower(fiber_key(CLASS_FIBER, slot)),
			    told = find_knower(thread_object(slot));
			all &= (me == NOBODY ? 0 : known_at(p, me, unit)->written) |
			       (told == NOBODY ? 0 : known_at(p, told, unit)->written);
		}
		drop(p, unit, all);
	}
}

void order_step_ends(u32 slot)
{
	if (!is_on())
		return;
	const struct footprint *f = access_footprint();
	if (f->world && f->count == FOOTPRINT_MAX) { /* it may have synchronised with anybody */
		for (u32 p = 0; p < planes(); p++)
			for (u32 unit = 0; unit < units(); unit++)
				drop(p, unit, ~0UL);
	}
	learn_from_footprint(slot);
	if (is_foreign(f))
		meet_foreign(slot);
	teach_footprint(slot);
	for (u32 p = 0; p < planes(); p++)
		drop_known(p);
	stepped = 0;
}
