/* The doors of libheddle-hooks: called before each memory access of an instrumented program … */
#include "runtime/interpose/interpose.h"
#include "runtime/memory/fast.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/order.h"
#include "runtime/memory/unseen.h"
#include "runtime/rt.h"
#include "runtime/sched/recycle.h"

void access_door(const void *address, unsigned long size, unsigned how, const void *pc);
DOOR_INSIDE(void, access_door)(const void *address, unsigned long size, unsigned how, const void *pc)
{
	memory_access((u64)address, size, how, (u64)pc);
}

/* Most accesses need no door. None of these uses the stack: one jumps to the next (memory/fast.h). */
static HD_NOINLINE HD_LEAF void access_noted_second(const void *address, unsigned long size, unsigned how,
						    const void *pc)
{
	if (fast_is_noted((u64)address, size, 1, how))
		fast_passed((u64)address);
	else
		access_door(address, size, how, pc);
}

static HD_NOINLINE HD_LEAF void access_noted(const void *address, unsigned long size, unsigned how,
					     const void *pc)
{
	if (!fast_is_noted((u64)address, size, 0, how))
		access_door(address, size, how, pc);
	else if (size > SHADOW_GRAIN)
		access_noted_second(address, size, how, pc);
	else
		fast_passed((u64)address);
}

static HD_NOINLINE HD_LEAF void access_second(const void *address, unsigned long size, unsigned how,
					      const void *pc)
{
	if (fast_is_own((u64)address, 1, how))
		fast_passed((u64)address);
	else
		access_noted(address, size, how, pc);
}

static HD_NOINLINE HD_LEAF void access_first(const void *address, unsigned long size, unsigned how,
					     const void *pc)
{
	if (!fast_is_own((u64)address, 0, how))
		access_noted(address, size, how, pc);
	else if (size > SHADOW_GRAIN)
		access_second(address, size, how, pc);
	else
		fast_passed((u64)address);
}

static HD_NOINLINE HD_LEAF void access_cells(const void *address, unsigned long size, unsigned how,
					     const void *pc)
{
	if (fast_is_aligned((u64)address, size) &&
	    fast_page_of((u64)address)->number == (u64)address / HD_PAGE + 1)
		access_first(address, size, how, pc);
	else
		access_door(address, size, how, pc);
}

void heddle_rt_access(const void *address, unsigned long size, unsigned how, const void *pc);
HD_EXPORT HD_LEAF void heddle_rt_access(const void *address, unsigned long size, unsigned how, const void *pc)
{
	if (!fast_may_pass((u64)address, size, how))
		access_door(address, size, how, pc);
	else if (!memory_fast.alone)
		access_cells(address, size, how, pc);
	else
		fast_passed((u64)address);
}

/* The gate's (libc_state_doors.S). */
void unseen_use_door(const struct stub *s, const u64 *args, u64 pc);
DOOR_INSIDE(void, unseen_use_door)(const struct stub *s, const u64 *args, u64 pc)
{
	unseen_use(s, args, pc);
}

DOOR(void, heddle_rt_unseen)(const char *what, const void *pc, int later)
{
	if (memory_on() && (later || !sched_all_joined()))
		unseen_note(what, (u64)pc);
}

/* … before each compare-and-exchange … */
void compares_door(unsigned long expected);
DOOR_INSIDE(void, compares_door)(unsigned long expected)
{
	if (memory_on() && sched_active())
		recycle_compares(expected);
}

void heddle_rt_compares(unsigned long expected);
HD_EXPORT HD_LEAF void heddle_rt_compares(unsigned long expected)
{
	if (recycle_is_of_heap(expected) && !rt_lessons.recycles)
		compares_door(expected);
}

/* … and behind each atomic operation and fence. */
DOOR(void, heddle_rt_order)(const void *address, unsigned long size, unsigned what, int order)
{
	if (memory_on() && sched_active())
		order_atomic((u64)address, size, what, order & 0xf);
}
