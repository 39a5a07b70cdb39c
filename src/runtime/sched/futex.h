/*
 * futex.h: the futex system call; vkernel hands it over.
 */
#ifndef HEDDLE_RUNTIME_FUTEX_H
#define HEDDLE_RUNTIME_FUTEX_H

#include "runtime/sched/sched.h"
#include "runtime/vkernel/vk.h"

long futex_syscall(const struct vk_call *c);

#endif
