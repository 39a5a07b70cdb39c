/*
 * compare.h: which 128-byte lines of a page differ from its copy. Both are page-aligned.
 *
 * What it costs is memory traffic, so whoever knows that lines of the copy are zero says so: they are not
 * read then.
 */
#ifndef HEDDLE_STATE_COMPARE_H
#define HEDDLE_STATE_COMPARE_H

#include "base/base.h"

/* In a set of lines, bit i is line i: bytes 128*i … 128*i+127. */
#define COMPARE_LINE 128u
#define COMPARE_LINES (HD_PAGE / COMPARE_LINE)
#define COMPARE_ALL (~0u)

/* Lines from … to-1; none if there are none between. */
static inline u32 compare_range(u32 from, u32 to)
{
	return from < to ? (u32)((1ul << to) - (1ul << from)) : 0;
}

struct compare {
	/* Which lines of `look` differ. Those of `zero` are zero in the copy. */
	u32 (*lines)(const void *page, const void *copy, u32 look, u32 zero);
	/* The lines of `dead` become zero in the page. Returns those of them that are not zero in the
	   copy. */
	u32 (*clear)(void *page, const void *copy, u32 dead, u32 zero);
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
