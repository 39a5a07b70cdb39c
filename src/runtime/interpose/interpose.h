/*
 * interpose.h: common to the symbol shims. A shim converts types and calls the module that
 * does the work; it holds no logic of its own.
 */
#ifndef HEDDLE_RUNTIME_INTERPOSE_H
#define HEDDLE_RUNTIME_INTERPOSE_H

#include <errno.h>
#include <time.h>

#include "base/base.h"

/* Where the SUT called from. */
#define CALLER ((u64)__builtin_return_address(0))

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
