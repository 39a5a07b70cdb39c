/*
 * held.h: which locks a fiber holds, for instrumented programs: accesses under a common lock are no steps.
 */
#ifndef HEDDLE_RUNTIME_HELD_H
#define HEDDLE_RUNTIME_HELD_H

#include "runtime/sched/sched.h"

/* Keep books from now on. */
void held_start(void);
/* The running fiber took or gave up a lock; exclusive: nobody else can hold it in any mode. */
void held_locked(u64 lock, bool exclusive);
void held_unlocked(u64 lock);
/*
 * The addresses of the locks that the running fiber holds, ascending, into out[FIBER_LOCKS]; returns how
 * many.
 */
u32 held_list(bool exclusive_only, u64 *out);
/* The same with those that it gave up since its step began, as far as there is room. */
u32 held_ever_list(bool exclusive_only, u64 *out);
/* Grows whenever some fiber takes or gives up a lock. */
u64 held_changes(void);

#endif
