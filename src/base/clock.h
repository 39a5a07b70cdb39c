/*
 * clock.h: time that only goes forward, for time-outs. Usable in both halves.
 */
#ifndef HEDDLE_BASE_CLOCK_H
#define HEDDLE_BASE_CLOCK_H

#include <sys/syscall.h>

#include "base/sys.h"

static inline u64 monotonic_ns(void)
{
	const long monotonic = 1; /* CLOCK_MONOTONIC; libc's and the kernel's header don't go together */
	struct {
		long seconds, nanoseconds;
	} t = {0, 0};
	sys_call3(SYS_clock_gettime, monotonic, (long)&t, 0);
	return (u64)t.seconds * 1000000000 + (u64)t.nanoseconds;
}

static inline u64 monotonic_ms(void)
{
	return monotonic_ns() / 1000000;
}

#endif
