/*
 * cond.h: condition variables. Who waits is known from the fibers' pending operations;
 * the SUT's pthread_cond_t only remembers its clock.
 */
#ifndef HEDDLE_RUNTIME_COND_H
#define HEDDLE_RUNTIME_COND_H

#include "runtime/sched/mutex.h"

struct vcond {
	u32 clock; /* CLOCK_REALTIME = 0, CLOCK_MONOTONIC = 1 */
	u32 destroyed;
};

int cond_init(struct vcond *c, u32 clock);
int cond_wait(struct vcond *c, struct vmutex *m, u64 deadline, u64 pc);
int cond_signal(struct vcond *c, u64 pc);
int cond_broadcast(struct vcond *c, u64 pc);
int cond_destroy(struct vcond *c, u64 pc);

#endif
