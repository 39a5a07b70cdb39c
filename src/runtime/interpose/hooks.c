/* The doors of libheddle-hooks: called before each memory access of an instrumented program … */
#include "runtime/interpose/interpose.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/order.h"

DOOR(void, heddle_rt_access)(const void *address, unsigned long size, unsigned how, const void *pc)
{
	memory_access((u64)address, size, how, (u64)pc);
}

/* … and behind each atomic operation and fence. */
DOOR(void, heddle_rt_order)(const void *address, unsigned long size, unsigned what, int order)
{
	if (memory_on() && sched_active())
		order_atomic((u64)address, size, what, order & 0xf);
}
