/*
 * The locks of the running fiber as numbers of locksets, computed once per transition and change.
 */
#include "runtime/memory/shadow.h"
#include "runtime/sched/held.h"
#include "runtime/sched/model.h"

_Static_assert(FIBER_LOCKS <= LOCKSET_MAX_LOCKS, "a fiber's locks fit into a set");

static struct {
	bool known;
	u32 slot, shared, exclusive;
	u64 step, changes;
} now;

static u32 set_of(bool exclusive_only)
{
	u64 locks[FIBER_LOCKS];
	return lockset_of(locks, held_list(exclusive_only, locks));
}

u32 held_locks(bool exclusive_only)
{
	if (!now.known || now.slot != sched_self_slot() || now.step != sched_steps() ||
	    now.changes != held_changes()) {
		now.shared = set_of(false);
		now.exclusive = set_of(true);
		now.slot = sched_self_slot();
		now.step = sched_steps();
		now.changes = held_changes();
		now.known = true;
	}
	return exclusive_only ? now.exclusive : now.shared;
}
