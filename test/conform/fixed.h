/*
 * fixed.h: sequences of calls that are always played on both kernels: those that random ones don't come to,
 * and those that once differed.
 */
#ifndef HEDDLE_CONFORM_FIXED_H
#define HEDDLE_CONFORM_FIXED_H

#include "play.h"

#define FIXED 13
#define FIXED_ANSWERS 128

struct fixed_case {
	const char *what;
	int (*play)(kernel *k, long *out); /* the number of its answers, at most FIXED_ANSWERS */
};
extern const struct fixed_case fixed_cases[FIXED];

/* 0: both give the same answers. */
int fixed_compare(const struct fixed_case *c);

#endif
