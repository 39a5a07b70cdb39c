/*
 * maps.h: which memory of the process is the SUT's.
 */
#ifndef HEDDLE_RUNTIME_MAPS_H
#define HEDDLE_RUNTIME_MAPS_H

#include "base/base.h"

/* The mapping that contains this address is left alone. */
void maps_exclude(u64 address);
/* Track every private writable mapping that is not the runtime's; of the kernel's stack only
 * what lies from stack_from on (the rest is zeroed). */
void maps_track(u64 stack_from);

#endif
