/*
 * Which locks a fiber holds: kept in the fiber (it is model state), ascending by address; the lowest bit says
 * "exclusively". As numbers for locksets they are computed once per transition.
 */
#include "runtime/engine.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/shadow.h"
#include "runtime/sched/model.h"

_Static_assert(FIBER_LOCKS <= LOCKSET_MAX_LOCKS, "a fiber's locks fit into a set");

static struct {
	bool known;
	u32 slot, shared, exclusive;
	u64 step;
} now;

/* More locks than there is room for are not remembered: accesses look less protected, never more. */
void memory_locked(u64 lock, bool exclusive)
{
	if (!memory_on())
		return;
	struct fiber *f = sched_self();
	u64 entry = lock | exclusive;
	now.known = false;
	if (f->held[FIBER_LOCKS - 1])
		return;
	u32 at = FIBER_LOCKS - 1;
	while (at && (!f->held[at - 1] || f->held[at - 1] > entry)) {
		f->held[at] = f->held[at - 1];
		at--;
	}
	f->held[at] = entry;
}

void memory_unlocked(u64 lock)
{
	if (!memory_on())
		return;
	struct fiber *f = sched_self();
	now.known = false;
	u32 at = 0;
	while (at < FIBER_LOCKS && (f->held[at] & ~1UL) != lock)
		at++;
	for (; at < FIBER_LOCKS; at++)
		f->held[at] = at + 1 < FIBER_LOCKS ? f->held[at + 1] : 0;
}

static u32 set_of(const struct fiber *f, bool exclusive_only)
{
	u64 locks[FIBER_LOCKS];
	u32 n = 0;
	for (u32 i = 0; i < FIBER_LOCKS && f->held[i]; i++)
		if (!exclusive_only || (f->held[i] & 1))
			locks[n++] = f->held[i] & ~1UL;
	return lockset_of(locks, n);
}

u32 held_locks(bool exclusive_only)
{
	if (!now.known || now.slot != engine_current() || now.step != engine_steps()) {
		const struct fiber *f = sched_self();
		now.shared = set_of(f, false);
		now.exclusive = set_of(f, true);
		now.slot = engine_current();
		now.step = engine_steps();
		now.known = true;
	}
	return exclusive_only ? now.exclusive : now.shared;
}
