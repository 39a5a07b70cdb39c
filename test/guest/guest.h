/*
 * guest.h: what most guest programs want: checked calls and short names for
 * starting and joining threads. CHECK is a heddle_assert, so a guest that
 * finds something wrong fails natively and under heddle alike.
 */
#ifndef GUEST_H
#define GUEST_H

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <heddle/heddle.h>

#define CHECK(c) heddle_assert(c)
#define OK(call) heddle_assert((call) == 0)
/* A call that returns -1 and sets errno. */
#define FAILS(call, code) heddle_assert((call) == -1 && errno == (code))

static inline pthread_t spawn(void *(*body)(void *), void *arg)
{
	pthread_t t;
	OK(pthread_create(&t, NULL, body, arg));
	return t;
}

static inline void *join(pthread_t t)
{
	void *value = NULL;
	OK(pthread_join(t, &value));
	return value;
}

/* A moment `ms` from now on the given clock. */
static inline struct timespec from_now(clockid_t clock, long ms)
{
	struct timespec ts;
	OK(clock_gettime(clock, &ts));
	ts.tv_nsec += ms % 1000 * 1000000;
	ts.tv_sec += ms / 1000 + ts.tv_nsec / 1000000000;
	ts.tv_nsec %= 1000000000;
	return ts;
}

/* Guests with several stories choose by their first argument. */
static inline int story(int argc, char **argv, const char *name)
{
	return argc > 1 && !strcmp(argv[1], name);
}

#endif
