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
 *   signals and timers     timers expire beside the fibers, as actions of one of them;
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
	if (rt_lessons.signals_used || rt_wire->config.spurious || rt_wire->config.net.faults ||
	    has_joint_peers(known))
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
	return n;
}

u64 engine_program_pc(u32 slot)
{
	const struct fiber *f = &model->fiber[slot];
	u64 frame = kstack_program_sp(slot);
	return frame && op_class_of(&f->op) != &op_start ? ((const u64 *)frame)[1] : f->entry + 1;
}

static u32 joins(void *t, u32 slot)
{
	(void)t;
	const struct op *o = &model->fiber[slot].op;
	return op_class_of(o)->joins ? op_class_of(o)->joins(o) : 0;
}

static u64 point(void *t, u32 slot)
{
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
static u64 detail(void *t, u32 slot)
{
	(void)t;
	u64 from = model->fiber[slot].sp, to = (u64)kstack_of(slot), frame = kstack_program_sp(slot);
	u64 hash = from < to ? XXH3_64bits((const void *)from, to - from) : 0;
	return hash + (frame ? *(const u64 *)frame : 0);
}

static void pending(void *t, u32 slot, struct footprint *out)
{
	(void)t;
	access_pending(slot, out);
}

static u32 action(u32 slot)
{
	return ACTION(slot, 0);
}

u64 engine_work(void *t)
{
	(void)t;
	return track_get_stats()->words;
}

const struct target_reduction engine_reduction = {.usable = usable,
						  .fibers = fibers,
						  .point = point,
						  .detail = detail,
						  .pending = pending,
						  .joins = joins,
						  .action = action};
