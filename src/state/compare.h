/*
 * compare.h: which 128-byte lines of a page differ from its copy. Both are page-aligned. Only lines from … to-1
 * are looked at, widened to an even number where that is faster.
 */
#ifndef HEDDLE_STATE_COMPARE_H
#define HEDDLE_STATE_COMPARE_H

#include "base/base.h"

/* Bit i: line i (bytes 128*i … 128*i+127) differs. */
#define COMPARE_LINE 128u
#define COMPARE_LINES (HD_PAGE / COMPARE_LINE)
typedef u32 (*compare_fn)(const void *page, const void *copy, u32 from, u32 to);

/* The fastest one this processor can run. */
compare_fn compare_select(void);
u32 compare_sse2(const void *page, const void *copy, u32 from, u32 to);

#endif
