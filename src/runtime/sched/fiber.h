/*
 * fiber.h: the life of a fiber: its slot, stack, TLS block and saved context.
 * For sched/ and the engine.
 */
#ifndef HEDDLE_RUNTIME_FIBER_H
#define HEDDLE_RUNTIME_FIBER_H

#include "runtime/sched/model.h"
#include "state/track.h"

void context_switch(u64 *save_sp, u64 to_sp);
HD_NORETURN void context_resume(u64 to_sp);
HD_NORETURN void stack_call(void (*fn)(void), u64 top);

void fiber_set_fs(u64 tcb);
void fiber_set_gs(u64 base);
u64 fiber_get_fs(void);

/* Fiber 0: the process as the kernel started it. entry: what it runs; does not return. */
void fiber_make_main(void (*entry)(void));
void fiber_run_main(void);
extern const struct sched_kernel *sched_kernel; /* never NULL */
/* A new fiber, child of the running one; NULL: no slot or no memory. */
struct fiber *fiber_make(u64 entry, u64 arg, u64 stack_size);
/* Give a slot back: all zero again (M1). */
void fiber_free(struct fiber *f);
/* The fiber whose thread control block this is, alive or done. NULL: none. */
struct fiber *fiber_by_tcb(u64 tcb);
u32 fiber_slot(const struct fiber *f);
u32 fiber_live_count(void);
/* Was any thread detached so far, in any execution? Then "gone" does not mean "joined". */
bool fiber_ever_detached(void);

/* The threads that the running step has made so far, in this order, as far as there is room. */
#define FIBER_BIRTHS 64
u32 fiber_births(const u32 **slots);

/*
 * A fiber that was asked to cancels itself at this operation. Taking the mutex again behind a wait is part
 * of that wait, which is a cancellation point of its own.
 */
static inline bool fiber_is_cancelled_at(const struct fiber *f, const struct op *o)
{
	return !f->cancel_off && (o->flags & OPF_CANCEL || (f->cancel_async && !(o->flags & OPF_WAITER)));
}

/* The stack of slot: [low, top) and where the TLS block begins. */
u64 fiber_stack_low(u32 slot);
u64 fiber_stack_top(u32 slot);

/* Tell the tracker where fibers stand, and which parts of their slots others may write. */
void fiber_track_stacks(void);
/* Which part of the stack is dead after the fiber ran, from where its saved stack pointer was sp_before;
   false: unknown (it runs on another stack). */
bool fiber_dead_stack(u32 slot, bool left, u64 sp_before, struct track_stack *out);
/* Registers of a suspended fiber, for unwinders. */
void fiber_regs(const struct fiber *f, struct wire_regs *out);
/* The running fiber ends with this result: destructors, then never comes back. */
HD_NORETURN void fiber_finish(u64 result);
/* The raw exit system call: end without destructors. */
HD_NORETURN void fiber_exit_raw(void);

/* "thread 2 (worker)" */
void fiber_describe(const struct fiber *f, struct text *t);

#endif
