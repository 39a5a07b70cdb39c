/*
 * engine.h: the checker inside the SUT's process: implements search/target.h on
 * top of fibers and tracked memory. Engine memory is never rolled back.
 */
#ifndef HEDDLE_RUNTIME_ENGINE_H
#define HEDDLE_RUNTIME_ENGINE_H

#include "base/base.h"
#include "runtime/sched/sched.h"
#include "wire/wire.h"

extern struct wire_shared *rt_wire;
extern struct wire_worker *rt_worker;

/* Run the search or the replay the wire asks for; called on the engine's own stack; exits the process. */
HD_NORETURN void engine_main(void);

/* --- for sched/ --- */

/* The fiber that runs, valid only while one does. */
u32 engine_current(void);
/* Suspend the running fiber (its operation is set) and go back to the engine; returns the chosen outcome. */
u32 engine_yield(void);
/* The running fiber has ended: back to the engine for good. */
HD_NORETURN void engine_leave(void);
/* The transition can't be finished: back to the engine, which will undo it. */
enum engine_abandon_why { ABANDON_VIOLATION, ABANDON_PRUNED, ABANDON_STOP /* and the search with it */ };
HD_NORETURN void engine_abandon(enum engine_abandon_why why);
/* A lesson was learnt: the search has to start again (ignored in replay). */
void engine_want_restart(void);
bool engine_before_main(void);
void engine_main_starts(void);

/* A violation by a signal or by a failing call; pc: the place that tells it from others; regs: where the
 * fiber is, for unwinders. Does not return. */
HD_NORETURN void engine_violation(enum violation_kind kind, u64 pc, u64 address, u32 signo,
				  const struct wire_regs *regs, const char *message);

/* Is a fiber running (as opposed to engine code)? Since how many timer ticks? For signal handlers. */
bool engine_in_fiber(void);
u64 engine_steps(void);

#endif
