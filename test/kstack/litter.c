/*
 * Put between everybody and sched_self() (ld --wrap): on a kernel stack it leaves an array full of numbers
 * behind, other ones each time. States are counted as ever, because every function starts on zeroes
 * (runtime/kstack/kstack.h, K2).
 */
#include "runtime/kstack/kstack.h"

struct fiber *__real_sched_self(void);
struct fiber *__wrap_sched_self(void);

static u64 calls; /* never rolled back */

static HD_NOINLINE void litter(u64 seed)
{
	volatile u64 array[300];
	HD_WIDE_FRAME();
	for (u32 i = 0; i < HD_ARRAY_LEN(array); i++)
		array[i] = seed * 0x9e3779b97f4a7c15u + i;
}

struct fiber *__wrap_sched_self(void)
{
	if (kstack_entered())
		litter(++calls);
	return __real_sched_self();
}
