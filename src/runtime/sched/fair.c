/*
 * Yielding in circles.
 *
 * while (!ready) sched_yield(); leads back to the same state, and the search ends there. But a loop that
 * counts its rounds (the back-off of Rust's channels does) has a new state each time, and a schedule in
 * which nobody else ever runs goes on for as long as the counter counts. A depth-first search would never
 * come back from one.
 *
 * So, once the search is FAIR_DEPTH steps deep, it starts again and treats such loops differently. A fiber
 * that has yielded FAIR_YIELDS times in a row, each time in a state of its own that it was not in before,
 * makes FAIR_ROUNDS rounds in its next step. If it is still in the loop then, it is *far*: further rounds are
 * tried, FAIR_ROUNDS at a time, and if they lead out of the loop, that is a step as any other. If they do
 * not, the state is put back to what it was before them (engine_target.c): the step leads back to the same
 * state, as it would without the counter.
 *
 *      rounds   0 -> 1 -> 2 -> 3 ------------> 1003 -.
 *               |    |    |    |                ^  | |
 *               v    v    v    v                |  v |
 *               what the loop waited for        `----'
 *
 * What is left out: other threads move while the counter is between those values, or beyond. A round changes
 * the counter only, so whatever else can happen to the fiber and the others happens with one of the values
 * that are there, a small or a large one; what tells 500 rounds from 1,003 apart, or needs more than twice
 * FAIR_ROUNDS, is not seen. The result says that there are such loops (yields_merged). If a round changes
 * more than the fiber's own stack and registers, that argument does not hold: then the verdict is "bounded"
 * (yields_cut).
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
#define FAIR_ROUNDS 1000
#define FAIR_DEPTH 4000

static u64 hash(u64 from, u64 to)
{
	return XXH3_64bits((const void *)from, to - from);
}

/*
 * The live part of both stacks. Registers of the program are on the kernel stack, but for those that a called
 * function must keep (the counter of a loop is often in one): these are put there.
 */
static HD_NOINLINE u64 mark(u32 slot)
{
	u64 kernel_sp;
	__builtin_unwind_init();
	__asm__ volatile("movq %%rsp, %0" : "=r"(kernel_sp) : : "memory");
	u64 top = fiber_stack_top(slot), sp = kstack_program_sp(slot);
	bool own = sp < top && sp >= top - LAYOUT_STACK_STRIDE;
	u64 both[2] = {own ? hash(sp, top) : 0, hash(kernel_sp, (u64)kstack_of(slot))};
	return XXH3_64bits(both, sizeof(both)) | 1;
}

/* Of the transition under way: the rounds that were no steps. */
static bool goes_on(void)
{
	static u64 step, rounds;
	if (step != sched_steps()) {
		step = sched_steps();
		rounds = 0;
	}
	return ++rounds < FAIR_ROUNDS;
}

bool fair_yields(struct fiber *f)
{
	if (!rt_lessons.fair) {
		if (rt_worker->stats.depth < FAIR_DEPTH)
			return false;
		RT_LEARN(fair);
		sched_want_restart();
	}
	if (f->yields >= FAIR_YIELDS && goes_on())
		return true;
	u64 now = mark(fiber_slot(f));
	if (f->yield_mark == now)
		return false;
	f->yield_mark = now;
	f->yields = HD_MIN(f->yields + 1, FAIR_YIELDS + 1);
	return false;
}

HD_LEAF void fair_acts(struct fiber *f)
{
	if (hd_likely(!f->yields))
		return;
	f->yields = 0;
	f->yield_mark = 0;
}

bool fair_is_far(const struct fiber *f)
{
	return hd_unlikely(f->yields > FAIR_YIELDS) && op_class_of(&f->op)->yields;
}

bool fair_is_own(const struct fiber *f, u64 address)
{
	u32 slot = fiber_slot(f);
	u64 top = fiber_stack_top(slot), kernel_top = (u64)kstack_of(slot);
	return address - (top - LAYOUT_STACK_STRIDE) < LAYOUT_STACK_STRIDE ||
	       address - (kernel_top - LAYOUT_KSTACK_STRIDE) < LAYOUT_KSTACK_STRIDE ||
	       address - (u64)f < sizeof(*f);
}
