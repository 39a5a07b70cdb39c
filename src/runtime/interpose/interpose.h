/*
 * interpose.h: common to the symbol shims. A shim converts types and calls the module that
 * does the work; it holds no logic of its own.
 */
#ifndef HEDDLE_RUNTIME_INTERPOSE_H
#define HEDDLE_RUNTIME_INTERPOSE_H

#include <errno.h>
#include <time.h>

#include "base/base.h"
#include "runtime/sched/sched.h"

/* Where the SUT called from. */
#define CALLER ((u64)__builtin_return_address(0))

/*
 * Run the work of a shim so that it leaves no bytes on the SUT's stack: what it would leave below
 * the caller's frame would end up in holes of frames to come (see sched_scrub). SHIM_FRAME: the shim's own
 * frame is one saved register and no hole.
 */
#define SHIM_FRAME() __asm__ volatile("" : : : "rbx")
#define CLEANLY(call)                                                                                                \
	({                                                                                                           \
		SHIM_FRAME();                                                                                        \
		sched_scrub();                                                                                       \
		__auto_type result_ = (call);                                                                        \
		sched_scrub();                                                                                       \
		result_;                                                                                             \
	})
/* The same for calls that go deep into the virtual kernel. */
#define CLEANLY_DEEP(call)                                                                                           \
	({                                                                                                           \
		SHIM_FRAME();                                                                                        \
		sched_scrub();                                                                                       \
		__auto_type result_ = (call);                                                                        \
		sched_scrub_deep();                                                                                  \
		result_;                                                                                             \
	})

/* POSIX functions that return -1 and set errno. */
static inline int errno_result(int error)
{
	if (!error)
		return 0;
	errno = error;
	return -1;
}

/* Kernel style result to libc style. */
static inline long errno_from(long result)
{
	if (result >= 0 || result < -4095)
		return result;
	errno = (int)-result;
	return -1;
}

static inline bool timespec_ok(const struct timespec *ts)
{
	return ts->tv_nsec >= 0 && ts->tv_nsec < 1000000000L;
}

#endif
