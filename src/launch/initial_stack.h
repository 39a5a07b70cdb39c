/*
 * initial_stack.h: what the kernel puts on a new program's stack and what of
 * it must be constant. Works on a traced process that stands at its exec stop.
 */
#ifndef HEDDLE_LAUNCH_INITIAL_STACK_H
#define HEDDLE_LAUNCH_INITIAL_STACK_H

#include <sys/types.h>

#include "launch/problem.h"

/*
 * AT_RANDOM's 16 bytes become constant, AT_SYSINFO_EHDR disappears. *entry: where the program itself
 * begins.
 */
int initial_stack_pin(pid_t pid, u64 *entry, struct problem *p);

#endif
