/*
 * api.h: the runtime's side of heddle/heddle.h, as operations.
 */
#ifndef HEDDLE_RUNTIME_API_H
#define HEDDLE_RUNTIME_API_H

#include "runtime/sched/sched.h"

extern const struct op_class op_choose, op_atomic_begin;

#endif
