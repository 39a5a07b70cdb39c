/*
 * run.h: fibers run and come back. The engine lets one go on; the fiber returns at its next visible
 * operation, at its end, or in the middle of a transition that can't be finished. What the fiber asks for
 * meanwhile (a violation, a restart of the search) is kept here until the engine looks.
 *
 * All of this is persistent memory.
 */
#ifndef HEDDLE_RUNTIME_RUN_H
#define HEDDLE_RUNTIME_RUN_H

#include "runtime/sched/sched.h"
#include "state/track.h"

/* ---- for the engine ---- */

enum run_end {
	RUN_STEP = 0,  /* it stands before its next operation, or has ended */
	RUN_VIOLATION, /* run_failure() tells */
	RUN_PRUNED,    /* this path does not count */
	RUN_STOPPED,   /* the search can't go on */
};
/* Carry out the fiber's pending operation with this outcome. Everything but RUN_STEP has to be undone. */
enum run_end run_fiber(u32 slot, u32 alt);
/* Which part of the stack of the fiber that ran last is dead now; false: unknown. */
bool run_dead_stack(struct track_stack *out);

struct run_failure {
	enum violation_kind kind;
	u32 slot, signo;
	u64 pc, address;
	struct wire_regs regs; /* where the fiber is, for unwinders */
	char message[VIOLATION_MESSAGE];
};
/* The last violation that a fiber told of. */
const struct run_failure *run_failure(void);
/*
 * Be told of violations where they happen, on the fiber's stack or the signal stack: for replays with a
 * debugger.
 */
void run_on_failure(void (*tell)(const struct run_failure *f));

/*
 * Grows with each step and, within one, whenever the running fiber takes or gives up a lock, makes a thread,
 * or uses the heap. Persistent.
 */
extern u64 run_moment;

/* sched_limit for the engine, which stands outside the fibers: how the step ends. */
enum run_end run_limit(const char *what);

/*
 * Has a lesson been learnt since run_restarted()? Then what the search finds does not count. must: it is not
 * even worth while to go on for more lessons.
 */
bool run_wants_restart(void);
bool run_must_restart(void);
void run_restarted(void);

/* ---- for sched/ ---- */

/* Suspend the running fiber (its operation is set) and go back to the engine; returns the chosen outcome. */
u32 run_yield(void);
/* A fiber runs for the first time: begins where its first operation was chosen, with this outcome. */
u32 run_outcome(void);
void sched_begin(void);
/* The running fiber has ended: back to the engine for good. */
HD_NORETURN void run_leave(void);

#endif
