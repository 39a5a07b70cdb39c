/*
 * common.h: what the nine programs share: arguments, starting and joining
 * threads, and the two kinds of property.
 *
 * An assertion is an assert() in the code. An invariant is a function inv_…(void)
 * over global variables; it is checked with INVARIANT() wherever a thread is about to
 * give up the lock that protects these variables.
 *
 * The build variant -DFAULT plants one bug in each program; FAULT is always 0 or 1.
 */
#ifndef SCC_COMMON_H
#define SCC_COMMON_H

#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "heddle/heddle.h"

#ifdef FAULT
#undef FAULT
#define FAULT 1
#else
#define FAULT 0
#endif

/*
 * For functions that wait, or whose locals should be gone when they return: inlined, they
 * would leave a trace of that in registers of the thread. It means nothing to the program, but states
 * that differ in it are different states.
 */
#define ON_ITS_OWN __attribute__((noinline))

#define INVARIANT(holds) heddle_assert(holds)
#define MAX_THREADS 64

/* Argument `i` of the command line, `fallback` if it is absent; leaves the program when out of range. */
static inline int scc_arg(int argc, char **argv, int i, int fallback, int low, int high)
{
	char *end;
	long value;

	if (i >= argc)
		return fallback;
	value = strtol(argv[i], &end, 10);
	if (*argv[i] && !*end && value >= low && value <= high)
		return (int)value;
	fprintf(stderr, "%s: argument %d is %s, wanted is %d to %d\n", argv[0], i, argv[i], low, high);
	exit(2);
}

static inline pthread_t scc_start(void *(*body)(void *), long arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, body, (void *)arg)) {
		fprintf(stderr, "cannot start a thread\n");
		exit(2);
	}
	return thread;
}

/* Threads 0 … n-1 of one kind; threads[] is filled. */
static inline void scc_start_all(pthread_t *threads, int n, void *(*body)(void *))
{
	for (int i = 0; i < n; i++)
		threads[i] = scc_start(body, i);
}

static inline void scc_join_all(const pthread_t *threads, int n)
{
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

#endif
