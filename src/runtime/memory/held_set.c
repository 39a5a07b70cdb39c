/*
 * The locks of the running fiber as numbers of locksets, computed once per transition and change.
 */
#include "runtime/memory/shadow.h"
#include "runtime/sched/held.h"
#include "runtime/sched/model.h"

_Static_assert(FIBER_LOCKS <= LOCKSET_MAX_LOCKS, "a fiber's locks fit into a set");

static struct {
	bool known;
	u32 slot;
	u32 held[2], ever[2]; /* [exclusive_only] */
	u64 step, changes;
} now;

static void look(void)
{
	if (hd_likely(now.known && now.slot == sched_self_slot() && now.step == sched_steps() &&
		      now.changes == held_changes()))
		return;
	for (u32 exclusive_only = 0; exclusive_only < 2; exclusive_only++) {
		u64 locks[FIBER_LOCKS];
		now.held[exclusive_only] = lockset_of(locks, held_list(exclusive_only, locks));
		now.ever[exclusive_only] = lockset_of(locks, held_ever_list(exclusive_only, locks));
	}
	now.slot = sched_self_slot();
	now.step = sched_steps();
	now.changes = held_changes();
	now.known = true;
}

u32 held_locks(bool exclusive_only)
{
	look();
	return now.held[exclusive_only];
}

u32 held_ever(bool exclusive_only)
{
	look();
	return now.ever[exclusive_only];
}
