/*
 * sys.h: raw system calls, without errno and without libc. In the injected
 * runtime the calling instruction must lie inside the runtime's own text: that
 * range is what Syscall User Dispatch lets through, hence everything is inline.
 * Results are the kernel's: negative errno on failure.
 */
#ifndef HEDDLE_BASE_SYS_H
#define HEDDLE_BASE_SYS_H

#include "base/base.h"

static inline long sys_call6(long nr, long a, long b, long c, long d, long e, long f)
{
	long ret;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

static inline long sys_call3(long nr, long a, long b, long c)
{
	long ret;
	__asm__ volatile("syscall" : "=a"(ret) : "a"(nr), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
	return ret;
}

static inline bool sys_failed(long ret)
{
	return (unsigned long)ret >= (unsigned long)-4095;
}

#endif
