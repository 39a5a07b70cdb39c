/* The door of libheddle-hooks: called before each memory access of an instrumented program. */
#include "runtime/interpose/interpose.h"
#include "runtime/memory/memory.h"

DOOR(void, heddle_rt_access)(const void *address, unsigned long size, unsigned how, const void *pc)
{
	memory_access((u64)address, size, how, (u64)pc);
}
