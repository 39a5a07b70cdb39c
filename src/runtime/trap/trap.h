/*
 * trap.h: signals the runtime lives by: page faults of tracked memory, trapped system
 * calls, crashes of the SUT, and the timer that notices a transition without end.
 */
#ifndef HEDDLE_RUNTIME_TRAP_H
#define HEDDLE_RUNTIME_TRAP_H

#include "base/base.h"

void trap_setup_faults(void);
/* From here on every system call from outside the runtime's text goes to the virtual kernel. */
void trap_setup_calls(void);
/* Nothing of the running function's lies below its stack pointer: what does is left over from others. */
#define RED_ZONE 128
void trap_forget_red_zone(u64 sp);

#endif
