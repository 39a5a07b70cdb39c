/*
 * Memory accesses.
 *
 * An access has to be a step of its own when another fiber could tell where it happens. Most can't be told:
 *   A1  nobody else exists: all other threads that ever were have been joined, or none was made yet;
 *   A2  one fiber only uses the bytes;
 *   A3  several use them, but none writes (what was written under A1 does not count);
 *   A4  every use, by anybody, holds a common lock: then the critical sections are ordered, and the
 *       lock operations are steps already (Lipton; Flanagan and Qadeer);
 *   A5  no two conflicting uses ever race: something orders them, whatever it is.
 *
 * Every cell of 4 bytes has a level, which only rises (shadow.h):
 *   quiet    A2, A3 or A4. The cell collects, from uses outside A1: who, whether written, and the meet of the
 *            locksets held. When several fibers, a write and an empty lockset come together, it becomes
 *   shared   A5, until it is seen to be wrong. Its accesses are kept in windows (window.h), and an access in
 *            the window of a conflicting one, with no lock common to both, makes the cell
 *   handed   A5 still; but what may have ordered the two is a release that was merged into the step of the
 *            first one, behind the access. So releases behind accesses to this cell are steps now
 *            (access_hold). An access in the window of another that conflicts with it is a race then:
 *   visible  all accesses are steps. Atomic and volatile accesses and those of signal handlers, which are
 *            meant to meet, lead here at once, and so does everything while memory orders are followed
 *            (order.c).
 * Whenever a cell rises, the search starts again, soon: what was explored so far had too few steps, or
 * windows with too little in them (the same mechanism as for locks that somebody looks at, see
 * sched/access.c).
 *
 * The window of an access lasts from its step t, which is some operation x and all that fiber f does up to
 * before its next one, until the next step of f. In it f stands still.
 *
 * Why that is enough. Call an execution fine if it switches fibers at any access. Claim: if the last search
 * ended without a lesson, then every fine execution has a coarse one, explored by it, that makes the same
 * accesses and operations with the same values. Suppose not, and take the shortest fine execution that has
 * none. Put each step of a fiber, as far as it got, to where its first operation x is: releases that were
 * merged behind x move left, which nobody can tell, and so do accesses. If that changes no value, the
 * result is coarse but for steps that were not finished; let the search finish these. The first access b in
 * this order that conflicts with an access a of another fiber f (on a quiet cell none does: A2 to A4), such
 * that a has moved, or was added, from
 * behind b to before it, is in the window of a: f has done x and stands before a, in the fine execution,
 * when b happens, so f takes no further step before b. Any lock that f holds at a it took at x or before,
 * and it still has it when b happens; so b's fiber has held none of these since its own step began
 * (held_ever), and the search finds the conflict: there is a coarse execution up to b, as the fine one was
 * the shortest. So the cell rises: contradiction.
 *
 * Why little rises in vain. What orders b behind a must begin with a release of f behind a. If the cell is
 * handed, there is none in t, so before the next step of f nothing orders them but a lock that both hold.
 *
 * State matching. Whether b is in a window depends on what fibers did in their last steps. That is part of
 * the state (fiber.window), so a state is only taken for another if the same accesses can still conflict
 * with what comes. No clock and no history beyond the last step of each fiber is needed, by the argument
 * above.
 *
 * Reduction (search/reduction.h). A step that closes a window, and an access that would have been in it, do
 * not commute; they are declared as such (window.c). Two conflicting accesses need not be: whichever comes
 * first, the other is in its window. Take the shortest execution to a conflict that the reduced search does
 * not have; unordered steps in it don't conflict with each other, otherwise there was a shorter one; so
 * they can be swapped as the reduction does, and what remains in the way is only a step that closes the
 * window.
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
 * missed or a false race. docs/design/memory-steps.md has examples and figures.
 */
#include "runtime/rt.h"
#include "runtime/heap/heap.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/fast.h"
#include "runtime/memory/order.h"
#include "runtime/memory/order_places.h"
#include "runtime/memory/memory_priv.h"
#include "runtime/memory/shadow.h"
#include "runtime/memory/memory_news.h"
#include "runtime/memory/unseen.h"
#include "runtime/memory/window.h"
#include "runtime/heap/sites.h"
#include "runtime/sched/access.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/held.h"
#include "runtime/sched/op_classes.h"
#include "wire/action.h"
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

/* --- lessons --- */

/* How often the search has begun. */
static u32 pass = 1;

void memory_restarted(void)
{
	pass++;
}

/*
 * Cells that were raised one behind the other are one lesson, and one region, as long as nothing else was. A
 * region is named by its first cell, so that it has the same name in each worker. Where several workers have
 * learnt of a cell at the same time, the lesson counts that is first in the list (load_lesson).
 */
static struct {
	u64 start, end;
	u32 level;
} lesson;
static u32 loaded; /* lessons */

static bool full; /* there was no room for a lesson */

void memory_tell_lessons(void)
{
	for (u64 a = lesson.start; a < lesson.end;) {
		u64 cells = HD_MIN((lesson.end - a) / SHADOW_GRAIN, (u64)LEARNT_RANGE_MAX);
		full |= !learnt_cells(&rt_wire->learnt, LEARNT_RANGE(a, cells, lesson.level));
		a += cells * SHADOW_GRAIN;
	}
	lesson.start = lesson.end = 0;
}

static void raise_cell(u64 address, u32 level)
{
	struct cell *c = shadow_cell(address);
	struct cell_more *more = shadow_more(address);
	if (c->level >= level)
		return;
	if (lesson.end != address || lesson.level != level ||
	    lesson.end - lesson.start >= LEARNT_RANGE_MAX * SHADOW_GRAIN) {
		memory_tell_lessons();
		lesson.start = address;
		lesson.level = level;
	}
	lesson.end = address + SHADOW_GRAIN;
	if (c->level == CELL_QUIET)
		more->region = lesson.start / SHADOW_GRAIN;
	if (level == CELL_HANDED)
		more->pass = pass;
	c->level = level & 3;
	sched_want_restart_soon();
}

/*
 * Threads that share or hand over one word of a heap block do so with the rest of it, too; to learn that at
 * once saves searches, and costs hardly anything. To make a step of each access to all of it would cost a
 * lot.
 */
static void raise_around(u64 address, u32 level)
{
	u64 start, size;
	if (level == CELL_VISIBLE || address - LAYOUT_HEAP_BASE >= LAYOUT_MAX_FIBERS * LAYOUT_HEAP_STRIDE ||
	    !heap_find((void *)address, &start, &size)) {
		raise_cell(address & ~(u64)(SHADOW_GRAIN - 1), level);
		return;
	}
	for (u64 a = start & ~(u64)(SHADOW_GRAIN - 1); a < start + size; a += SHADOW_GRAIN)
		raise_cell(a, level);
}

/* These bytes were accessed in the window of another, conflicting access. */
static void conflict(u64 start, u64 end)
{
	for (u64 a = start & ~(u64)(SHADOW_GRAIN - 1); a < end; a += SHADOW_GRAIN) {
		u32 level = shadow_cell(a)->level;
		if (level == CELL_SHARED)
			raise_around(a, CELL_HANDED);
		/* Windows of this search may be from before that, with releases in them. */
		else if (level == CELL_HANDED && shadow_more(a)->pass != pass)
			raise_around(a, CELL_VISIBLE);
	}
}

static bool is_search(void)
{
	return rt_worker->task.mode == WIRE_SEARCH;
}

void memory_step_begins(void)
{
	if (on && is_search())
		window_step_begins();
}

bool memory_step_ends(u32 slot, u32 alt)
{
	if (!on)
		return true;
	if (is_search())
		window_step_ends(slot, ALT_IS_TIMER(alt) || ALT_IS_PEER(alt) || ALT_IS_FAULT(alt), conflict);
	memory_tell_lessons();
	tell_all();
	return !full;
}

/* True: cells have another region than this worker thought. */
static bool load_lesson(u64 range)
{
	u64 region = LEARNT_RANGE_ADDRESS(range) / SHADOW_GRAIN;
	bool moved = false;
	for (u32 i = 0; i < LEARNT_RANGE_CELLS(range); i++) {
		u64 address = LEARNT_RANGE_ADDRESS(range) + i * SHADOW_GRAIN;
		struct cell *c = shadow_cell(address);
		struct cell_more *more = shadow_more(address);
		if (!more->placed) {
			moved |= more->region && more->region != region;
			more->region = region;
		}
		more->placed = 1;
		c->level = HD_MAX((u32)c->level, LEARNT_RANGE_LEVEL(range)) & 3;
	}
	return moved;
}

void memory_load_lessons(void)
{
	u32 n = on ? __atomic_load_n(&rt_wire->learnt.cells, __ATOMIC_ACQUIRE) : 0;
	bool moved = false;
	for (; loaded < n; loaded++)
		moved |= load_lesson(rt_wire->learnt.cell_range[loaded]);
	if (moved)
		window_regions_moved();
}

void memory_setup(bool hooks, bool compiled_by_clang)
{
	on = hooks;
	by_clang = compiled_by_clang;
	if (!on)
		return;
	held_start();
	lockset_setup();
	order_places_setup();
	unseen_setup();
	memory_load_lessons();
}

/* --- accesses --- */

union cell_word {
	struct cell cell;
	u32 word;
};

/* All handlers are one owner, but each of them several, as nobody knows whose they are. */
#define HANDLERS 0x7ffu

/* One cell is used outside A1. Returns its level. */
static u32 cell_used(struct cell *c, u64 address, u32 who, bool write, bool bare, u32 held)
{
	if (hd_unlikely(c->level)) {
		if (c->level != CELL_VISIBLE && (bare || rt_lessons.weak))
			raise_around(address, CELL_VISIBLE);
		return c->level;
	}
	if (hd_likely(c->owner == who && c->locks == held && c->written >= write && c->bare >= bare &&
		      who != HANDLERS))
		return CELL_QUIET;
	union cell_word before = {*c};
	c->several |= c->owner && (c->owner != who || who == HANDLERS);
	if (!c->owner)
		c->owner = who;
	c->written |= write;
	c->bare |= bare;
	c->locks = lockset_meet(c->locks, held) & ((1u << LOCKSET_BITS) - 1);
	if (before.word != (union cell_word){*c}.word)
		tell_cell(TELL_USED, address, who, (write ? TELL_WRITE : 0u) | (bare ? TELL_BARE : 0u), held);
	if (c->several && c->written && c->locks == LOCKSET_NONE)
		raise_around(address, c->bare || rt_lessons.weak ? CELL_VISIBLE : CELL_SHARED);
	return c->level;
}

void memory_cell_used(u64 address, u32 who, bool write, bool bare, u32 locks)
{
	cell_used(shadow_cell(address), address, who, write, bare, locks);
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
	bool same = address == last_address && pc == last_pc && !(how & MEMORY_WRITE);
	again = same && !memory_fast.passed ? again + 1 : 0;
	memory_fast.passed = false;
	last_address = address;
	last_pc = pc;
	looks += how & (MEMORY_ATOMIC | MEMORY_VOLATILE) ? 1 : 0;
	return again > LOOKS_MAX || (looks > LOOKS_MAX && how & (MEMORY_ATOMIC | MEMORY_VOLATILE));
}

/* Of the levels of the cells, those that are met, as bits. */
static HD_NOINLINE u32 use(u64 address, u64 size, u32 how, u64 pc)
{
	bool write = how & MEMORY_WRITE, alone = sched_all_joined() && !rt_lessons.signals_used;
	if (alone)
		return 0;
	bool handler = sched_self()->handlers && rt_lessons.signals_used;
	bool bare = handler || (how & (MEMORY_ATOMIC | MEMORY_VOLATILE));
	u32 held = bare ? LOCKSET_NONE : held_locks(write), levels = 0;
	bool waits = looks_often(address, how, pc);
	for (u64 a = address & ~(u64)(SHADOW_GRAIN - 1); a < address + size; a += SHADOW_GRAIN) {
		struct cell *c = shadow_cell(a);
		if (waits)
			raise_around(a, CELL_VISIBLE);
		u32 who = handler ? HANDLERS : sched_self_slot() + 1;
		levels |= 1u << cell_used(c, a, who, write, bare, held);
	}
	return levels;
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

/* An access that is no step, or behind its step for the bytes that are none. */
static HD_NOINLINE void note(u64 address, u64 size, u32 how, u32 levels)
{
	if (levels & 1u << CELL_HANDED)
		access_hold();
	if (!is_search())
		return;
	if (how & MEMORY_FREED)
		window_note_freed(address, size);
	else
		window_note(address, size, how & MEMORY_WRITE);
}

void memory_kept(u64 address, u64 size)
{
	if (on && sched_active() && is_search() && !sched_all_joined())
		window_note(address, size, true);
}

/* --- the fast way --- */

struct memory_fast memory_fast;

/* A moment has begun: what do quiet cells of the running fiber look like? */
static void new_moment(void)
{
	struct memory_fast *f = &memory_fast;
	f->moment = run_moment;
	f->alone = sched_all_joined();
	f->noted = is_search() ? window_moment() : 0;
	union cell_word read_only_mask = {{.several = 1, .written = 1, .level = 3, .locks = 0xffff}};
	union cell_word read_only = {{.several = 1, .locks = LOCKSET_NONE}};
	f->read_only_mask = read_only_mask.word;
	f->read_only = read_only.word;
	for (u32 write = 0; write < 2; write++) {
		union cell_word mask = {{.owner = 0x7ff, .level = 3, .locks = 0xffff, .written = write & 1}};
		union cell_word own = {{.owner = (sched_self_slot() + 1) & 0x7ff, .written = write & 1}};
		f->mask[write] = mask.word;
		own.cell.locks = held_locks(write) & 0xffff;
		f->own[write] = own.word;
		own.cell.locks = LOCKSET_NONE;
		f->own_unlocked[write] = own.word;
	}
}

/* Handlers of signals are somebody else, and with them nobody is alone: nothing is passed then. */
static void remember(u64 address)
{
	struct memory_fast *f = &memory_fast;
	if (rt_lessons.signals_used)
		return;
	if (f->moment != run_moment)
		new_moment();
	struct fast_page *p = &f->page[(address / HD_PAGE + 1) % FAST_SLOTS];
	u64 page = address & ~(u64)(HD_PAGE - 1);
	if (shadow_cell(address)->level)
		p->more = shadow_more(page);
	else if (p->number != address / HD_PAGE + 1)
		p->more = NULL;
	p->number = address / HD_PAGE + 1;
	p->cells = (const u32 *)(const void *)shadow_cell(page);
	struct fast_block *b = &f->block[address / HD_PAGE % FAST_SLOTS];
	u64 start, size;
	if (address - LAYOUT_HEAP_BASE < LAYOUT_MAX_FIBERS * LAYOUT_HEAP_STRIDE &&
	    heap_find((void *)address, &start, &size))
		*b = (struct fast_block){f->moment, start, start + size};
}

void memory_access(u64 address, u64 size, u32 how, u64 pc)
{
	if (!on || !size || !sched_active())
		return;
	u32 levels = use(address, size, how, pc);
	if (levels & 1u << CELL_VISIBLE) {
		step_access(address, size, how, pc);
		order_access(address, size, how, pc);
	}
	if (levels & (1u << CELL_SHARED | 1u << CELL_HANDED))
		note(address, size, how, levels);
	check_heap(address, size, how & MEMORY_WRITE, pc);
	remember(address);
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
