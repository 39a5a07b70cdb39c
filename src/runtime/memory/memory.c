/*
 * Memory accesses.
 *
 * An access has to be a step of its own when another fiber could tell where it happens. Most can't be told:
 *   A1  nobody else exists: all other threads that ever were have been joined, or none was made yet;
 *   A2  one fiber only uses the bytes;
 *   A3  several use them, but none writes (what was written under A1 does not count);
 *   A4  every use, by anybody, holds a common lock: then the critical sections are ordered, and the
 *       lock operations are steps already (Lipton; Flanagan and Qadeer).
 * So every cell of 4 bytes collects, from uses outside A1: who, whether written, and the meet of the
 * locksets held. When several fibers, a write and an empty lockset come together, the cell becomes visible:
 * remembered for the rest of the run, and the search starts again, because what was explored so far had too
 * few steps (the same mechanism as for locks that somebody looks at, see sched/access.c).
 *
 * Why that is enough. Let the last search have ended without a new lesson, and assume a fine-grained
 * execution reaches a state of interest (an end, a deadlock, a race, a failed assertion) that it missed;
 * take one with the fewest context switches at invisible accesses. At the first of them, fiber f is
 * preempted before an invisible access a. The coarse search runs f on through a (and further invisible
 * accesses and left-movers) up to f's next step. None of the operations that other fibers do before f goes
 * on conflicts with a: a conflicting one would be a use of the same cell, by another fiber, without a
 * common lock (f holds its locks all the time), and the coarse search, which reaches both uses, would have
 * learnt from it. So a can be moved to the left, before the preemption, which gives an execution with fewer
 * such switches: contradiction.
 *
 * A handler of signals that others or timers send comes between any two accesses of its thread. To a cell it
 * is somebody else, and the locks that its thread holds mean nothing to it; it is there even if no other
 * thread is (A1). So what both use is visible, and the handler, which runs before steps, in the right places.
 *
 * A race is a state in which two fibers are each about to access common bytes, at least one writes, and not
 * both are atomic (or both volatile: the old idiom, taken at its word). Both accesses are pending steps
 * then, as their cells are visible. Races that only weaker atomics make: order.c.
 *
 * Given up: bytes that are used by one fiber in one execution and by another one in another execution count
 * as shared; so do stack and heap bytes that were shared in an earlier life. That costs steps, never a
 * missed or a false race.
 */
#include "runtime/rt.h"
#include "runtime/heap/heap.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/order.h"
#include "runtime/memory/shadow.h"
#include "runtime/memory/unseen.h"
#include "runtime/heap/sites.h"
#include "runtime/sched/access.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/held.h"
#include "runtime/sched/op_classes.h"
#include "wire/wire.h"

#define LOOKS_MAX 256

static bool on, by_clang;

HD_LEAF bool memory_on(void)
{
	return on;
}

bool memory_by_clang(void)
{
	return by_clang;
}

void memory_setup(bool hooks, bool compiled_by_clang)
{
	on = hooks;
	by_clang = compiled_by_clang;
	if (!on)
		return;
	held_start();
	lockset_setup();
	order_setup();
	unseen_setup();
	for (u32 i = 0; i < rt_wire->learnt.visible; i++)
		shadow_cell(rt_wire->learnt.visible_addr[i])->visible = 1;
}

static void become_visible(struct cell *c, u64 address)
{
	c->visible = 1;
	if (!learnt_visible(&rt_wire->learnt, address & ~(u64)(SHADOW_GRAIN - 1)))
		sched_limit(
			"more than 524288 places in memory that several threads use without a common lock");
	sched_want_restart();
}

/* All handlers are one owner, but each of them several, as nobody knows whose they are. */
#define HANDLERS 0x7ffu

/* One cell is used outside A1. Returns whether its accesses are steps. */
static bool cell_used(struct cell *c, u64 address, u32 who, bool write, u32 held)
{
	if (c->visible)
		return true;
	if (hd_likely(c->owner == who && c->locks == held && c->written >= write && who != HANDLERS))
		return false;
	c->several |= c->owner && (c->owner != who || who == HANDLERS);
	if (!c->owner)
		c->owner = who;
	c->written |= write;
	c->locks = lockset_meet(c->locks, held);
	if (c->several && c->written && c->locks == LOCKSET_NONE)
		become_visible(c, address);
	return c->visible;
}

/*
 * A loop that waits for another fiber looks at the same place again and again, and as long as nobody else
 * has used the cell yet there is no reason for a step: the transition would never end. Many looks in one
 * transition are a reason: at atomics and volatiles, or at one plain place with nothing in between.
 */
static bool looks_often(u64 address, u64 how, u64 pc)
{
	static u64 step, looks, last_address, last_pc, again;
	if (step != sched_steps()) {
		step = sched_steps();
		looks = again = 0;
	}
	again = address == last_address && pc == last_pc && !(how & MEMORY_WRITE) ? again + 1 : 0;
	last_address = address;
	last_pc = pc;
	looks += how & (MEMORY_ATOMIC | MEMORY_VOLATILE) ? 1 : 0;
	return again > LOOKS_MAX || (looks > LOOKS_MAX && how & (MEMORY_ATOMIC | MEMORY_VOLATILE));
}

/* Is this access a step? */
static HD_NOINLINE bool use(u64 address, u64 size, u32 how, u64 pc)
{
	bool write = how & MEMORY_WRITE, alone = sched_all_joined() && !rt_lessons.signals_used;
	bool handler = sched_self()->handlers && rt_lessons.signals_used;
	bool bare = handler || (how & (MEMORY_ATOMIC | MEMORY_VOLATILE));
	u32 held = bare ? LOCKSET_NONE : held_locks(write);
	bool step = false, waits = !alone && looks_often(address, how, pc);
	for (u64 a = address & ~(u64)(SHADOW_GRAIN - 1); a < address + size; a += SHADOW_GRAIN) {
		struct cell *c = shadow_cell(a);
		if (alone)
			step |= c->visible;
		else
			step |= cell_used(c, a, handler ? HANDLERS : sched_self_slot() + 1, write, held);
		if (waits && !c->visible) {
			become_visible(c, a);
			step = true;
		}
	}
	return step && !alone;
}

static HD_NORETURN void outside_block(u64 address, u64 size, bool write, u64 pc)
{
	char buf[400];
	struct text t;
	text_init(&t, buf, sizeof(buf));
	text_fmt(&t, "%s of %lu byte%s outside any live heap block at ", write ? "write" : "read", size,
		 size == 1 ? "" : "s");
	text_addr(&t, address);
	sites_describe(address, &t);
	sched_violation(VIOLATION_CRASH, pc, address, buf);
}

static void check_heap(u64 address, u64 size, bool write, u64 pc)
{
	if (address - LAYOUT_HEAP_BASE >= LAYOUT_MAX_FIBERS * LAYOUT_HEAP_STRIDE)
		return;
	u64 start, length;
	if (!heap_find((void *)address, &start, &length) || address + size > start + length)
		outside_block(address, size, write, pc);
}

static void step_access(u64 address, u64 size, u32 how, u64 pc)
{
	struct op o = {.kind = how & MEMORY_WRITE ? OP_MEM_WRITE : OP_MEM_READ,
		       .object = address,
		       .n = (u32)HD_MIN(size, (u64)0xffffffff),
		       .arg = how,
		       .arg2 = pc};
	sched_step(&o);
}

void memory_access(u64 address, u64 size, u32 how, u64 pc)
{
	if (!on || !size || !sched_active())
		return;
	if (use(address, size, how, pc)) {
		step_access(address, size, how, pc);
		order_access(address, size, how, pc);
	}
	check_heap(address, size, how & MEMORY_WRITE, pc);
}

/* --- for the engine --- */

static const char *verb(const struct op *o, bool doing)
{
	static const char *const verbs[2][3][2] = {
		{{"read ", "write "},
		 {"read atomic ", "update atomic "},
		 {"read volatile ", "write volatile "}},
		{{"reads ", "writes "},
		 {"reads atomic ", "updates atomic "},
		 {"reads volatile ", "writes volatile "}},
	};
	u32 sort = o->arg & MEMORY_ATOMIC ? 1 : o->arg & MEMORY_VOLATILE ? 2 : 0;
	return verbs[doing][sort][(o->arg & MEMORY_WRITE) != 0];
}

static void access_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	if (alt == OP_DESCRIBE_PENDING)
		text_str(t, "is about to ");
	text_str(t, verb(o, alt != OP_DESCRIBE_PENDING));
	text_addr(t, o->object);
	text_fmt(t, " (%u byte%s)", o->n, o->n == 1 ? "" : "s");
}

static void access_accesses(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)f;
	(void)alt;
	access_declare(o->object, o->n, o->arg & MEMORY_WRITE ? ACCESS_WRITE : ACCESS_READ);
}

/* object: the address, n: bytes, arg: enum memory_how, arg2: pc */
const struct op_class op_mem_read = {
	.name = "memory read",
	.describe = access_describe,
	.accesses = access_accesses,
	.busy = true,
	.memory = true,
};
const struct op_class op_mem_write = {
	.name = "memory write",
	.describe = access_describe,
	.accesses = access_accesses,
	.busy = true,
	.memory = true,
};
