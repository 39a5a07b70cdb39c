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

void problem_write(struct problem *p, const char *format, ...) HD_PRINTF(2, 3);

static inline int problem_code(void)
{
	return -1;
}

/* Always -1, so that a failing function can end with it; a macro, so that static analysis knows it is. */
#define problem_set(p, ...) (problem_write(p, __VA_ARGS__), problem_code())

#endif
