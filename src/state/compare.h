/*
 * compare.h: which 128-byte lines of a page differ from its copy. Both are page-aligned.
 */
#ifndef HEDDLE_STATE_COMPARE_H
#define HEDDLE_STATE_COMPARE_H

#include "base/base.h"

/* Bit i of a result: line i (bytes 128*i … 128*i+127) differs. */
#define COMPARE_LINE 128u
#define COMPARE_LINES (HD_PAGE / COMPARE_LINE)

struct compare {
	/* Only lines from … to-1 are looked at, widened to an even number where that is faster. */
	u32 (*lines)(const void *page, const void *copy, u32 from, u32 to);
	/* Lines 0 … to-1 of the page become zero; those of them that are not zero in the copy differ. */
	u32 (*clear)(void *page, const void *copy, u32 to);
	/*
	 * Take the words that differ in these lines over into the copy: what they differ in goes to diff[0
	 * …], and `place` plus their number in the page to places[0 …]; there is room for a page. Returns how
	 * many.
	 */
	u32 (*take)(const u64 *page, u64 *copy, u32 lines, u32 place, u32 *places, u64 *diff);
};

/* The fastest one this processor can run. */
const struct compare *compare_select(void);
extern const struct compare compare_sse2;

#endif
