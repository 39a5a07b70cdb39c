/*
 * model.h: the runtime's own part of the model state: fibers, virtual time,
 * pthread keys. Private to sched/ and engine; others use sched.h.
 *
 * Everything here is tracked memory at LAYOUT_MODEL_BASE, zero at start. Rules:
 *   M1  a free fiber slot is all zero;
 *   M2  nothing says which fiber ran last, or how often anything happened;
 *   M3  no pointers into untracked memory.
 */
#ifndef HEDDLE_RUNTIME_MODEL_H
#define HEDDLE_RUNTIME_MODEL_H

#include "runtime/sched/sched.h"
#include "wire/layout.h"

#define FIBER_ROBUST 4
#define FIBER_LOCKS 6

enum fiber_life {
	FIBER_FREE = 0,
	FIBER_ALIVE, /* has a pending operation, or runs now */
	FIBER_DONE,  /* ended, not yet joined */
};

struct fiber {
	u64 sp; /* of the saved context while it does not run */
	u64 tcb;
	struct op op;
	struct op suspended; /* what it waits for (OPF_WAITER) while a handler runs; kind 0: nothing */
	u8 life, detached, cancel_off, cancel_asked;
	u16 atomic;              /* depth of heddle_atomic sections */
	u16 cancel_async;        /* at any operation, not at cancellation points alone */
	u32 parent, child_index; /* its name, see thread.c */
	u64 entry, arg, result;
	u64 gs;       /* base of GS: arch_prctl */
	u64 handlers; /* of signals that run: how deep; one that jumps away is still counted */
	u64 specific; /* block of pthread_setspecific values in its own arena, or 0 */
	u32 specific_len, stack_size;
	u64 yields, yield_mark; /* fair.c */
	char name[16];
	u64 robust[FIBER_ROBUST]; /* robust mutexes that it holds, ascending: mutex.c */
	u64 held[FIBER_LOCKS];    /* locks, for instrumented programs: memory/held_set.c */
	u64 recycles;             /* recycle.c */
	u64 window;               /* the memory that its last step accessed: memory/window.c */
};

#define MODEL_KEYS 1024
struct model_key {
	u64 destructor;
	u64 used;
};

struct model {
	struct fiber fiber[LAYOUT_MAX_FIBERS];
	u64 now; /* virtual nanoseconds */
	u32 exited, exit_status;
	u64 refused; /* this execution used a call outside the model: what happens behind it is doubtful */
	char panic[256];   /* what a Rust program said when it panicked, terminated; "": it did not */
	u64 ever_detached; /* some thread was, in this execution: not all can be said to have been joined */
	u64 gone_window;   /* the windows of those that are gone: memory/window.c */
	struct model_key key[MODEL_KEYS];
};

static struct model *const model = (struct model *)LAYOUT_MODEL_BASE;
/* What follows: the virtual kernel's part, and at the end memory/order.c's. */
#define MODEL_VK_BASE (LAYOUT_MODEL_BASE + HD_ROUND_UP(sizeof(struct model), HD_PAGE))
#define MODEL_ORDER_SIZE (36UL << 30)
#define MODEL_ORDER_BASE (LAYOUT_MODEL_BASE + LAYOUT_MODEL_SIZE - MODEL_ORDER_SIZE)

#endif
