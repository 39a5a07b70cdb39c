/*
 * pthread_once, call_once, and the guards of C++ static locals. The initialiser may leave by
 * an exception or by cancellation: then the next caller tries again. pthread_once runs on the program's
 * stack, like the initialiser it calls; compiled with -fexceptions, so that the cleanup below runs while
 * unwinding.
 */
#include <pthread.h>
#include <threads.h>

#include "runtime/interpose/interpose.h"
#include "runtime/sched/semaphore.h"

struct attempt {
	int *control;
	bool done;
};

bool attempt_begins(int *control, u64 pc);
void attempt_ends(struct attempt *a);

DOOR_INSIDE(bool, attempt_begins)(int *control, u64 pc)
{
	return once_begin(control, pc);
}

DOOR_INSIDE(void, attempt_ends)(struct attempt *a)
{
	once_end(a->control, a->done);
}

static void run_once(int *control, void (*fn)(void), const void *pc)
{
	if (!attempt_begins(control, (u64)pc))
		return;
	__attribute__((cleanup(attempt_ends))) struct attempt a = {control, false};
	fn();
	a.done = true;
}

HD_EXPORT int pthread_once(pthread_once_t *control, void (*fn)(void))
{
	run_once(control, fn, __builtin_return_address(0));
	return 0;
}

HD_EXPORT void call_once(once_flag *flag, void (*fn)(void))
{
	run_once((int *)flag, fn, __builtin_return_address(0));
}

/* Itanium C++ ABI: the first byte of a guard says "initialised"; the rest is ours. */
struct guard {
	u8 done;
	u8 unused[3];
	int control;
};

DOOR(int, __cxa_guard_acquire)(struct guard *g)
{
	return !g->done && once_begin(&g->control, DOOR_CALLER);
}

DOOR(void, __cxa_guard_release)(struct guard *g)
{
	g->done = 1;
	once_end(&g->control, true);
}

DOOR(void, __cxa_guard_abort)(struct guard *g)
{
	once_end(&g->control, false);
}
