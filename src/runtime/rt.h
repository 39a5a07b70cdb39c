/*
 * rt.h: what everything in the runtime may know: the wire, and the way out when there can be no run.
 */
#ifndef HEDDLE_RUNTIME_RT_H
#define HEDDLE_RUNTIME_RT_H

#include "base/base.h"

#define RT_PID 1000 /* what the SUT believes its process id to be */

/* Whoever looks inside includes wire/wire.h. */
extern struct wire_shared *rt_wire;
extern struct wire_worker *rt_worker;

/* The run can't be: one sentence for the user, exit. */
HD_NORETURN void rt_fail(const char *a, const char *b, const char *c);

#endif
