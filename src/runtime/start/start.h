/*
 * start.h: from exec to the initial state.
 */
#ifndef HEDDLE_RUNTIME_START_H
#define HEDDLE_RUNTIME_START_H

#include "base/base.h"

/* Wire, tracked regions, heap, fault handlers: on the first malloc, or in __libc_start_main. Idempotent. */
void start_early(void);
/* Not yet: constructors of libraries run, on the system's own kernel. */
bool start_taken_over(void);
#endif
