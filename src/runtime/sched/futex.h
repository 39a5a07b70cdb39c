/*
 * futex.h: the futex system call; vkernel hands it over.
 */
#ifndef HEDDLE_RUNTIME_FUTEX_H
#define HEDDLE_RUNTIME_FUTEX_H

#include "runtime/sched/sched.h"

/*
 * a: its six arguments; those that the operation does not have become 0. pc: where the SUT called. Value or
 * -errno.
 */
long futex_call(long *a, u64 pc);

#endif
