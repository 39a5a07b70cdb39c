/*
 * heddle.h: what a program may tell the model checker. Everything here is
 * optional; without heddle the same binary runs natively: choose takes 0,
 * assume exits quietly when false, assert aborts, the rest does nothing.
 * No library is needed: the entry points are weak references.
 */
#ifndef HEDDLE_HEDDLE_H
#define HEDDLE_HEDDLE_H

#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HEDDLE_WEAK __attribute__((weak, visibility("default")))
HEDDLE_WEAK unsigned heddle_rt_choose(unsigned n);
HEDDLE_WEAK void heddle_rt_assume(int holds);
HEDDLE_WEAK void heddle_rt_assert(int holds, const char *what, const char *file, int line);
HEDDLE_WEAK void heddle_rt_atomic_begin(void);
HEDDLE_WEAK void heddle_rt_atomic_end(void);
HEDDLE_WEAK void heddle_rt_outcome(long value);

/* Is the program being checked? */
static inline int heddle_running(void)
{
	return heddle_rt_choose != 0;
}

/* One of 0 … n-1; the checker explores all of them. */
static inline unsigned heddle_choose(unsigned n)
{
	return heddle_rt_choose ? heddle_rt_choose(n) : 0;
}

/* Only executions in which `holds` is true matter. */
static inline void heddle_assume(int holds)
{
	if (heddle_rt_assume)
		heddle_rt_assume(holds);
	else if (!holds)
		exit(0);
}

/* No other thread runs between begin and end, unless this one blocks. */
static inline void heddle_atomic_begin(void)
{
	if (heddle_rt_atomic_begin)
		heddle_rt_atomic_begin();
}
static inline void heddle_atomic_end(void)
{
	if (heddle_rt_atomic_end)
		heddle_rt_atomic_end();
}

/* A result of this execution; result.json lists all distinct ones that are reachable. */
static inline void heddle_outcome(long value)
{
	if (heddle_rt_outcome)
		heddle_rt_outcome(value);
}

/* A macro, not a function: the place of the failure is the line that says it. */
#define heddle_assert(c) \
	do { \
		int heddle_holds = !!(c); \
		if (heddle_rt_assert) { \
			heddle_rt_assert(heddle_holds, #c, __FILE__, __LINE__); \
		} else if (!heddle_holds) { \
			fprintf(stderr, "%s:%d: heddle_assert(%s) failed\n", __FILE__, __LINE__, #c); \
			abort(); \
		} \
	} while (0)

#ifdef __cplusplus
}
#endif
#endif
