/*
 * atomics.h: finds the atomic instructions in the code that a loaded program brings along, so that the
 * runtime can make them steps: locks of Rust's std, C++ atomics, hand-written spin locks are such
 * instructions and nothing else.
 */
#ifndef HEDDLE_LAUNCH_ATOMICS_H
#define HEDDLE_LAUNCH_ATOMICS_H

#include <sys/types.h>

#include "launch/problem.h"
#include "wire/wire.h"

/*
 * Looks at all modules that process `pid` has mapped, but for the C and C++ libraries and the runtime. The
 * process stands at its entry point.
 */
int atomics_find(pid_t pid, struct wire_atomics *out, struct problem *p);

#endif
