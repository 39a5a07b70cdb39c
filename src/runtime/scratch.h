/*
 * scratch.h: run engine code off the fiber's stack.
 *
 * Why: a function leaves its dead locals below the stack pointer, and the next frame, alive while
 * the fiber waits, has holes in which they stay. For code that depends on the model state
 * alone that does no harm. But code that depends on persistent memory (tables that fill up as the
 * search goes on) takes another way the second time, leaves other bytes, and makes equal
 * states look different. So such code runs on a stack that is not tracked.
 *
 * fn must not yield and must not end the transition. Calls may nest.
 */
#ifndef HEDDLE_RUNTIME_SCRATCH_H
#define HEDDLE_RUNTIME_SCRATCH_H

#include "base/base.h"

typedef u64 (*scratch_fn)(u64 a, u64 b, u64 c, u64 d);

void scratch_setup(void);
/* fn on the stack that ends at `top`, which may be any: there it may yield. */
u64 scratch_switch(scratch_fn fn, u64 a, u64 b, u64 c, u64 d, u64 top);
u64 scratch_call(scratch_fn fn, u64 a, u64 b, u64 c, u64 d);
/* A transition was abandoned, perhaps in the middle of such a call. */
void scratch_reset(void);

#endif
