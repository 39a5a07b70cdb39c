/*
 * problem.h: how the controller's libraries say what went wrong: one sentence,
 * with the remedy in it. They never print; the cli does, and exits with 2.
 */
#ifndef HEDDLE_LAUNCH_PROBLEM_H
#define HEDDLE_LAUNCH_PROBLEM_H

#include "base/base.h"

struct problem {
	char text[2048];
};

/* Always -1, so that a failing function can end with it. */
int problem_set(struct problem *p, const char *format, ...) HD_PRINTF(2, 3);

#endif
