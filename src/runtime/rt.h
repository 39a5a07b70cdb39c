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

/* Communication trees (iocache/tree.h) of the run, WIRE_TREES_SIZE bytes. */
extern void *rt_trees;

/*
 * The lessons that this worker's search goes by: those of wire/learnt.h that are one flag. What other workers
 * learn counts from the next restart on, so that a search has the same steps from its beginning to its end.
 */
struct rt_lessons {
	u32 clock_read, cancel_used, signals_used, fair, weak, peer_time, busy, heap_reused, recycles;
};
extern struct rt_lessons rt_lessons;
/* At the start, and at each restart. */
void rt_load_lessons(void);
/* This worker learns one, and so do all. Includes wire/wire.h. */
#define RT_LEARN(lesson) \
	do { \
		rt_lessons.lesson = 1; \
		__atomic_store_n(&rt_wire->learnt.lesson, 1, __ATOMIC_RELEASE); \
	} while (0)

/* The run can't be: one sentence for the user, exit. */
HD_NORETURN void rt_fail(const char *a, const char *b, const char *c);

#endif
