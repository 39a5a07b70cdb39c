/*
 * Yielding in circles.
 *
 * while (!ready) sched_yield(); leads back to the same state, and the search ends there. But a loop that
 * counts its rounds (the back-off of Rust's channels does) has a new state each time, and a schedule in
 * which nobody else ever runs goes on for as long as the counter counts. Such schedules are unfair, no
 * kernel has them, and a depth-first search would never come back from one.
 *
 * So, once the search is FAIR_DEPTH steps deep, it starts again with a rule: a fiber that has yielded
 * FAIR_YIELDS times in a row, each time in a state of its own it was not in before, while none of the
 * others did anything, waits until another one has moved; if no other can, it goes on. That leaves out
 * executions, fair ones among them when a program yields four times for the sake of it: the result says so
 * (yields_cut), and the verdict is "bounded".
 *
 * Rounds that change nothing don't count. "Nothing" is the fiber's live stack and registers, as a hash;
 * memory elsewhere is not looked at, but whoever writes to it in such a loop is seen by the state matching
 * anyway.
 */
#include "runtime/sched/fair.h"

#include "runtime/rt.h"
#include "runtime/sched/access.h"
#include "runtime/kstack/kstack.h"
#include "runtime/sched/fiber.h"
#include "state/fingerprint.h"
#include "wire/wire.h"

#define FAIR_YIELDS 3
#define FAIR_DEPTH 20000

static u64 hash(u64 from, u64 to)
{
	return XXH3_64bits((const void *)from, to - from);
}

/* The live part of both stacks; registers of the program are on the kernel stack. */
static HD_NOINLINE u64 mark(u64 kernel_sp, u32 slot)
{
	u64 top = fiber_stack_top(slot), sp = kstack_program_sp(slot);
	bool own = sp < top && sp >= top - LAYOUT_STACK_STRIDE;
	u64 both[2] = {own ? hash(sp, top) : 0, hash(kernel_sp, (u64)kstack_of(slot))};
	return XXH3_64bits(both, sizeof(both)) | 1;
}

void fair_yields(struct fiber *f)
{
	if (!rt_lessons.fair) {
		if (rt_worker->stats.depth < FAIR_DEPTH)
			return;
		RT_LEARN(fair);
		sched_want_restart();
	}
	u64 now = mark((u64)__builtin_frame_address(0), fiber_slot(f));
	if (f->yield_mark == now)
		return;
	f->yield_mark = now;
	f->yields++;
}

HD_LEAF void fair_acts(struct fiber *f)
{
	if (hd_likely(!f->yields))
		return;
	f->yields = 0;
	f->yield_mark = 0;
}

/* A yield does not count as a move: two fibers that only yield to each other make no progress. */
void fair_moves(u32 slot)
{
	if (hd_likely(!rt_lessons.fair) || op_class_of(&model->fiber[slot].op)->yields)
		return;
	for (u32 i = 0; i < sched_fiber_limit(); i++)
		if (i != slot && model->fiber[i].yields) {
			access_declare(thread_object(i), 1, ACCESS_WRITE);
			fair_acts(&model->fiber[i]);
		}
}

bool fair_waits(const struct fiber *f)
{
	return hd_unlikely(f->yields > FAIR_YIELDS) && op_class_of(&f->op)->yields;
}
