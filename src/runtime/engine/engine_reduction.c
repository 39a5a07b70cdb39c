/*
 * The engine's part of the reduction (search/reduction.h): where fibers stand, and what they are about to
 * touch.
 */
#include "runtime/engine/engine_priv.h"
#include "runtime/kstack/kstack.h"
#include "runtime/rt.h"
#include "runtime/sched/access.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/op_classes.h"
#include "state/fingerprint.h"
#include "state/track.h"
#include "wire/wire.h"

/*
 * Nothing is left out where more decides on what a fiber can do than what its operation declares:
 *   spurious wake-ups,     a state that only they lead out of is an end;
 *   faults of the network
 *   atomic sections        while one is under way, nobody else moves unless it has to wait;
 *   joint peers            what is written on one of their connections can make them speak on another, and
 *                          they speak by themselves when nobody can go on.
 */
static bool has_joint_peers(const struct wire_learnt *known)
{
	if (known->shared)
		return true;
	for (u32 i = 0; i < HD_ARRAY_LEN(known->joint_clients); i++)
		if (known->joint_clients[i])
			return true;
	return false;
}

static bool usable(void *t)
{
	(void)t;
	const struct wire_learnt *known = &rt_wire->learnt;
	if (rt_wire->config.spurious || rt_wire->config.net.faults || has_joint_peers(known))
		return false;
	for (u32 i = 0; i < sched_fiber_limit(); i++)
		if (model->fiber[i].atomic)
			return false;
	return true;
}

static u32 fibers(void *t, u32 *out, u32 room)
{
	(void)t;
	u32 n = 0, limit = sched_fiber_limit();
	for (u32 i = 0; i < limit; i++)
		if (model->fiber[i].life == FIBER_ALIVE && n++ < room)
			out[n - 1] = i;
	if (rt_lessons.signals_used && n++ < room)
		out[n - 1] = ACCESS_TIMERS;
	return n;
}

static u32 actor(void *t, u32 action)
{
	(void)t;
	u32 alt = ACTION_ALT(action);
	if (ALT_IS_WATCHDOG(alt) || ALT_IS_PEER(alt))
		return TARGET_NOBODY;
	return ALT_IS_TIMER(alt) ? (u32)ACCESS_TIMERS : ACTION_FIBER(action);
}

static bool aside(void *t, u32 action)
{
	(void)t;
	return ACTION_ALT(action) == ALT_SIGNAL;
}

u64 engine_program_pc(u32 slot)
{
	const struct fiber *f = &model->fiber[slot];
	u64 frame = kstack_program_sp(slot);
	if (!frame || op_class_of(&f->op) == &op_start)
		return f->entry + 1;
	/* As of a call, the address behind it; who stands before an instruction stands at the instruction. */
	return ((const u64 *)frame)[1] + op_class_of(&f->op)->instruction;
}

static u32 joins(void *t, u32 slot)
{
	(void)t;
	if (slot == ACCESS_TIMERS)
		return 0;
	const struct op *o = &model->fiber[slot].op;
	return op_class_of(o)->joins ? op_class_of(o)->joins(o) : 0;
}

static u64 point(void *t, u32 slot)
{
	if (slot == ACCESS_TIMERS) /* which of them are armed is written by others */
		return ACCESS_TIMERS << 1 | 1;
	const struct fiber *f = &model->fiber[slot];
	if (f->life != FIBER_ALIVE)
		return 0;
	u64 arg = op_class_of(&f->op) == &op_start ? f->arg : 0;
	u64 at[] = {slot | (u64)f->op.kind << 32, f->op.object, engine_program_pc(slot), f->sp,
		    kstack_program_sp(slot),      arg,          joins(t, slot)};
	return XXH3_64bits(at, sizeof(at)) | 1;
}

/*
 * What lies on its kernel stack, the program's registers among it: only the fiber itself writes there
 * (kstack.h, K4). The program's rbp is in the door's frame.
 */
u64 engine_stack_hash(u32 slot)
{
	u64 from = model->fiber[slot].sp, to = (u64)kstack_of(slot), frame = kstack_program_sp(slot);
	u64 hash = from < to ? XXH3_64bits((const void *)from, to - from) : 0;
	return hash + (frame ? *(const u64 *)frame : 0);
}

static u64 detail(void *t, u32 slot)
{
	(void)t;
	return slot == ACCESS_TIMERS ? 0 : engine_stack_hash(slot);
}

static void pending(void *t, u32 slot, struct footprint *out)
{
	(void)t;
	access_pending(slot, out);
}

static u32 action(u32 slot)
{
	return slot == ACCESS_TIMERS ? ACTION(0, ALT_TIMER) : ACTION(slot, 0);
}

u64 engine_work(void *t)
{
	(void)t;
	return track_get_stats()->words;
}

const struct target_reduction engine_reduction = {.usable = usable,
						  .fibers = fibers,
						  .actor = actor,
						  .aside = aside,
						  .point = point,
						  .detail = detail,
						  .pending = pending,
						  .joins = joins,
						  .action = action};
