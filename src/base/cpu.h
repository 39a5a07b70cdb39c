/*
 * cpu.h: what this processor can do.
 */
#ifndef HEDDLE_BASE_CPU_H
#define HEDDLE_BASE_CPU_H

#include <cpuid.h>

#include "base/base.h"

static inline bool cpu_has_aes(void)
{
	u32 a, b, c, d;
	return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_AES);
}

/* AVX2, and a kernel that saves its registers. */
static inline bool cpu_has_avx2(void)
{
	u32 a, b, c, d;
	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
		return false;
	u32 lo, hi;
	__asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
	return (lo & 6) == 6 && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX2);
}

#endif
