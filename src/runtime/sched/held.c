/*
 * Kept in the fiber (it is model state), ascending by address; the lowest bit says "exclusively".
 */
#include "runtime/sched/held.h"

#include "runtime/sched/model.h"

static bool on;
static u64 changes; /* persistent */

void held_start(void)
{
	on = true;
}

u64 held_changes(void)
{
	return changes;
}

/* More locks than there is room for are not remembered: accesses look less protected, never more. */
static HD_NOINLINE void note_locked(u64 lock, bool exclusive)
{
	struct fiber *f = sched_self();
	u64 entry = lock | exclusive;
	changes++;
	if (f->held[FIBER_LOCKS - 1])
		return;
	u32 at = FIBER_LOCKS - 1;
	while (at && (!f->held[at - 1] || f->held[at - 1] > entry)) {
		f->held[at] = f->held[at - 1];
		at--;
	}
	f->held[at] = entry;
}

HD_LEAF void held_locked(u64 lock, bool exclusive)
{
	if (on)
		note_locked(lock, exclusive);
}

static HD_NOINLINE void note_unlocked(u64 lock)
{
	struct fiber *f = sched_self();
	changes++;
	u32 at = 0;
	while (at < FIBER_LOCKS && (f->held[at] & ~1UL) != lock)
		at++;
	for (; at < FIBER_LOCKS; at++)
		f->held[at] = at + 1 < FIBER_LOCKS ? f->held[at + 1] : 0;
}

HD_LEAF void held_unlocked(u64 lock)
{
	if (on)
		note_unlocked(lock);
}

u32 held_list(bool exclusive_only, u64 *out)
{
	const struct fiber *f = sched_self();
	u32 n = 0;
	for (u32 i = 0; i < FIBER_LOCKS && f->held[i]; i++)
		if (!exclusive_only || (f->held[i] & 1))
			out[n++] = f->held[i] & ~1UL;
	return n;
}
