/*
 * scratch.h: what once switched to a stack that is not tracked. Kernel stacks have made that needless.
 */
#ifndef HEDDLE_RUNTIME_SCRATCH_H
#define HEDDLE_RUNTIME_SCRATCH_H

#include "base/base.h"

typedef u64 (*scratch_fn)(u64 a, u64 b, u64 c, u64 d);

static inline u64 scratch_call(scratch_fn fn, u64 a, u64 b, u64 c, u64 d)
{
	return fn(a, b, c, d);
}

#endif
