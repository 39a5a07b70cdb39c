/*
 * common.h: what the programs of this folder share. Each is built twice; with
 * -DFAULT it has the bug that its opening comment tells.
 */
#ifndef EXAMPLES_MEMORY_COMMON_H
#define EXAMPLES_MEMORY_COMMON_H

#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef FAULT
#define FAULT 0
#endif

static inline pthread_t start(void *(*body)(void *), void *arg)
{
	pthread_t thread;
	int error = pthread_create(&thread, NULL, body, arg);
	assert(!error);
	return thread;
}

static inline void finish(pthread_t thread)
{
	int error = pthread_join(thread, NULL);
	assert(!error);
}

#endif
