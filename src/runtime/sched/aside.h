/*
 * aside.h: what a step does besides the operation it is named after: an unlock, a signal, a post, a new
 * thread. They are merged into the step (docs/ARCHITECTURE.md, "What is a step"), so nobody but a reader of
 * the execution asks for them: in a replay somebody listens.
 */
#ifndef HEDDLE_RUNTIME_ASIDE_H
#define HEDDLE_RUNTIME_ASIDE_H

#include "runtime/sched/sched.h"
#include "wire/op_kinds.h"

/* Called right before the operation takes effect, on the kernel stack of the running fiber. */
typedef void aside_listener(const struct op *o, u32 alt);
/* Persistent; NULL: nobody listens. */
extern aside_listener *aside_heard __attribute__((visibility("hidden")));

/* The running fiber is about to do this in passing; not for what is a step of its own. */
static inline void aside(enum op_kind kind, u64 object, u64 arg)
{
	if (hd_unlikely(aside_heard)) {
		struct op o = {.kind = (u16)kind, .object = object, .arg = arg};
		aside_heard(&o, 0);
	}
}

#endif
