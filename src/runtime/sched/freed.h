/*
 * freed.h: synchronisation objects in heap memory that is given back.
 *
 * Giving a block back changes every lock, semaphore or the like in it, for all who still use it: a worker
 * that unlocks the pool's mutex after the pool was freed. Whoever uses such an object has freed_check()
 * look first; only memory that the heap knows to be in no live block counts.
 */
#ifndef HEDDLE_RUNTIME_FREED_H
#define HEDDLE_RUNTIME_FREED_H

#include "base/base.h"

/*
 * The running fiber uses the object: a violation if it lies in freed memory. what: "a mutex". Called before
 * the use, and again where a step came between.
 */
void freed_check(u64 object, const char *what, u64 pc);
/* The running fiber is about to give this block back: a step, if others use objects in it. */
void freed_block(u64 block, u64 bytes);

#endif
