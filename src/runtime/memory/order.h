/*
 * order.h: data races that sequential consistency hides. Atomics weaker than acquire and release show their
 * values to other threads, but nothing that was written before them: data that a relaxed flag publishes is
 * raced on, although no two threads ever stand before it at the same time. So what happens before what is
 * followed along each execution, with the memory orders as they are written. The essay is in order.c.
 */
#ifndef HEDDLE_RUNTIME_ORDER_H
#define HEDDLE_RUNTIME_ORDER_H

#include "base/base.h"

/* As in hooks/hooks.h. */
enum order_what { ORDER_FENCE, ORDER_LOAD, ORDER_STORE, ORDER_UPDATE };

/* The running fiber makes this access, which is the step it was chosen for. how: enum memory_how. */
void order_access(u64 address, u64 size, u32 how, u64 pc);
/* It has done an atomic operation, or a fence; order: __ATOMIC_RELAXED …. */
void order_atomic(u64 address, u64 size, enum order_what what, int order);
/* It is about to execute an atomic instruction on this place that no hook tells of: assembly, a library. */
void order_instruction(u64 address);
/* Its step is over: what it synchronised with is in the footprint. For the engine, before track_commit. */
void order_step_ends(u32 slot);

/* Another worker follows accesses to this cell, some of which are to the whole of it, or atomic. */
void order_followed(u64 cell, bool whole, bool atomic);

struct order_race {
	u32 other;    /* slot; it may have ended */
	u64 other_pc; /* right in replays; in a search it may be that of another execution */
	u64 address;
	bool write, atomic; /* what the other did */
	u64 by_volatile;    /* the volatile variable that led from there to here; 0: none. Right in replays */
};
/* Does the access that this fiber stands before race with an earlier one? */
bool order_race(u32 slot, struct order_race *r);
/* Was something left out, because there was no room to follow it? */
bool order_left_out(void);
#define ORDER_FIBERS 256u /* threads whose accesses are followed */

#endif
