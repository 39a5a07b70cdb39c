/*
 * Kept in the fiber (it is model state), ascending by address; the lowest bit says "exclusively".
 */
#include "runtime/sched/held.h"

#include "base/small_set.h"
#include "runtime/sched/model.h"
#include "runtime/sched/run.h"

static bool on;
/* Persistent: */
static u64 changes;
static struct {
	u64 step;
	u64 lock[FIBER_LOCKS]; /* that the running fiber gave back in this step, as in fiber.held */
} released;

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
	changes++;
	run_moment++;
	small_set_add(sched_self()->held, FIBER_LOCKS, lock | exclusive);
}

HD_LEAF void held_locked(u64 lock, bool exclusive)
{
	if (on)
		note_locked(lock, exclusive);
}

static HD_NOINLINE void note_unlocked(u64 lock)
{
	u64 *held = sched_self()->held;
	changes++;
	run_moment++;
	if (released.step != sched_steps()) {
		released.step = sched_steps();
		for (u32 i = 0; i < FIBER_LOCKS; i++)
			released.lock[i] = 0;
	}
	bool shared = small_set_remove(held, FIBER_LOCKS, lock); /* held by a reader: it comes first */
	if (shared || small_set_remove(held, FIBER_LOCKS, lock | 1))
		small_set_add(released.lock, FIBER_LOCKS, lock | !shared);
}

HD_LEAF void held_unlocked(u64 lock)
{
	if (on)
		note_unlocked(lock);
}

u32 held_ever_list(bool exclusive_only, u64 *out)
{
	u64 both[FIBER_LOCKS];
	for (u32 i = 0; i < FIBER_LOCKS; i++)
		both[i] = sched_self()->held[i];
	for (u32 i = 0; i < FIBER_LOCKS && released.step == sched_steps() && released.lock[i]; i++)
		small_set_add(both, FIBER_LOCKS, released.lock[i]);
	u32 n = 0;
	for (u32 i = 0; i < FIBER_LOCKS && both[i]; i++)
		if ((!exclusive_only || (both[i] & 1)) && (!n || out[n - 1] != (both[i] & ~1UL)))
			out[n++] = both[i] & ~1UL;
	return n;
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
