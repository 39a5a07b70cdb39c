#include "runtime/sched/recycle.h"

#include "base/text.h"
#include "runtime/rt.h"
#include "runtime/sched/access.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/op_classes.h"
#include "wire/wire.h"

/* fiber.recycles */
enum { UNDECIDED, FRESH, NEWEST, OLDEST };
#define CHOICES 3

static bool seen; /* persistent: with --heap-reuse never, when it is no lesson */

HD_NOINLINE void recycle_compares(u64 expected)
{
	u64 address = expected & RECYCLE_ADDRESS_BITS, start, size;
	if (hd_likely(!recycle_is_of_heap(expected)) || rt_lessons.recycles || heap_is_bookkeeping(address) ||
	    heap_find((const void *)address, &start, &size))
		return;
	seen = true;
	if (rt_wire->config.heap_reuse != WIRE_REUSE_AUTO)
		return;
	__atomic_store_n(&rt_wire->learnt.recycles, 1, __ATOMIC_RELEASE); /* from the restart on */
	sched_want_restart();
}

bool recycle_seen(void)
{
	return seen || rt_wire->learnt.recycles;
}

/* Alone, a fiber has nobody who could hold a stale pointer; and a start is the same, whatever was learnt. */
static bool may_recycle(void)
{
	return hd_unlikely(rt_lessons.recycles) && sched_active() && !sched_all_joined() &&
	       sched_self()->recycles != FRESH;
}

bool recycle_keeps(void)
{
	return may_recycle();
}

static u64 arena_of(const void *block)
{
	return ((u64)block - LAYOUT_HEAP_BASE) / LAYOUT_HEAP_STRIDE;
}

enum heap_status recycle_put(void *block)
{
	u64 arena = arena_of(block);
	if (arena < LAYOUT_MAX_FIBERS) {
		if (arena != sched_self_slot())
			access_learn(heap_retired_object(arena), ACCESS_ADD);
		access_heap_aside(arena, ACCESS_ADD);
	}
	return heap_aside_put(sched_self_slot(), block);
}

/* arg, arg2: size and alignment */
static u32 reuse_outcomes(const struct fiber *f, const struct op *o)
{
	bool undecided = f->recycles == UNDECIDED;
	return undecided && heap_aside_find(fiber_slot(f), o->arg, o->arg2, HEAP_NEWEST) ? CHOICES : 1;
}

void *recycle_take(size_t size, size_t align)
{
	if (hd_likely(!may_recycle()))
		return NULL;
	struct fiber *f = sched_self();
	u32 slot = sched_self_slot();
	struct op o = {.kind = OP_REUSE, .arg = size, .arg2 = align};
	/* Others may give back what this one could get; so the moment counts. */
	bool observed = access_learn(heap_retired_object(slot), ACCESS_READ);
	if (observed || reuse_outcomes(f, &o) > 1) {
		u32 alt = sched_step(&o);
		if (reuse_outcomes(f, &o) > 1)
			f->recycles = FRESH + alt;
	}
	if (f->recycles < NEWEST)
		return NULL;
	enum heap_aside which = f->recycles == NEWEST ? HEAP_NEWEST : HEAP_OLDEST;
	const void *found = heap_aside_find(slot, size, align, which);
	if (!found)
		return NULL;
	access_heap_aside(arena_of(found), ACCESS_WRITE);
	return heap_aside_take(slot, size, align, which);
}

static void reuse_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	static const char *const words[CHOICES] = {
		"; from now on it gets memory that nobody had freed",
		"; from now on it gets what it freed last",
		"; from now on it gets what it freed first",
	};
	text_str(t, "allocates ");
	text_dec(t, (long)o->arg);
	text_str(t, " bytes");
	if (alt < CHOICES && reuse_outcomes(f, o) > 1)
		text_str(t, words[alt]);
}

static void reuse_accesses(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)o;
	(void)alt;
	access_declare(heap_retired_object(fiber_slot(f)), 1, ACCESS_READ);
}

const struct op_class op_reuse = {.name = "allocates",
				  .outcomes = reuse_outcomes,
				  .describe = reuse_describe,
				  .accesses = reuse_accesses};
