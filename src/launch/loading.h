/*
 * loading.h: the time between exec and the program's entry point, when ld.so works, under trace. What would
 * be different at every start is kept out of the program's memory.
 */
#ifndef HEDDLE_LAUNCH_LOADING_H
#define HEDDLE_LAUNCH_LOADING_H

#include <sys/types.h>

#include "launch/problem.h"

/* In the child, before exec. False: errno says why. */
bool loading_prepare(void);

/*
 * In the parent: the traced child stands at its exec stop; afterwards at `entry`, still traced.
 * max_time_ms: of the whole run, 0: any. -1 without a sentence in `p` (empty text): it ended while it was
 * being loaded, *status says how.
 */
int loading_run(pid_t pid, u64 entry, u64 max_time_ms, int *status, struct problem *p);

#endif
