/*
 * mutex_kinds.c: normal, recursive and error-checking mutexes, made by attributes or
 * by static initialisers, answer as POSIX says to relock, try, foreign unlock.
 *
 * heddle: verdict=verified outcomes=1
 */
#include "guest.h"

static pthread_mutex_t rec_static = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t chk_static = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t rec, chk, plain;

static void make(pthread_mutex_t *m, int kind)
{
	pthread_mutexattr_t attr;
	int got;
	OK(pthread_mutexattr_init(&attr));
	OK(pthread_mutexattr_settype(&attr, kind));
	OK(pthread_mutexattr_gettype(&attr, &got));
	CHECK(got == kind);
	OK(pthread_mutex_init(m, &attr));
	OK(pthread_mutexattr_destroy(&attr));
}

static void *stranger(void *arg)
{
	CHECK(pthread_mutex_trylock(&rec) == EBUSY);
	CHECK(pthread_mutex_trylock(&chk) == EBUSY);
	CHECK(pthread_mutex_trylock(&plain) == EBUSY);
	CHECK(pthread_mutex_unlock(&rec) == EPERM);
	CHECK(pthread_mutex_unlock(&chk) == EPERM);
	return arg;
}

static void recursive(pthread_mutex_t *m)
{
	OK(pthread_mutex_lock(m));
	OK(pthread_mutex_lock(m));
	OK(pthread_mutex_trylock(m));
	OK(pthread_mutex_unlock(m));
	OK(pthread_mutex_unlock(m));
}

static void checking(pthread_mutex_t *m)
{
	CHECK(pthread_mutex_unlock(m) == EPERM);
	OK(pthread_mutex_lock(m));
	CHECK(pthread_mutex_lock(m) == EDEADLK);
	CHECK(pthread_mutex_trylock(m) == EBUSY);
}

int main(void)
{
	pthread_mutexattr_t attr;
	OK(pthread_mutexattr_init(&attr));
	CHECK(pthread_mutexattr_settype(&attr, 99) == EINVAL);
	make(&rec, PTHREAD_MUTEX_RECURSIVE);
	make(&chk, PTHREAD_MUTEX_ERRORCHECK);
	make(&plain, PTHREAD_MUTEX_NORMAL);
	recursive(&rec);
	recursive(&rec_static);
	checking(&chk);
	checking(&chk_static);
	OK(pthread_mutex_lock(&plain));
	CHECK(pthread_mutex_trylock(&plain) == EBUSY);
	join(spawn(stranger, NULL));
	OK(pthread_mutex_unlock(&rec));
	CHECK(pthread_mutex_unlock(&rec) == EPERM);
	OK(pthread_mutex_unlock(&rec_static));
	OK(pthread_mutex_unlock(&chk));
	OK(pthread_mutex_unlock(&chk_static));
	OK(pthread_mutex_unlock(&plain));
	OK(pthread_mutex_destroy(&rec));
	OK(pthread_mutex_destroy(&chk));
	OK(pthread_mutex_destroy(&plain));
	heddle_outcome(1);
	return 0;
}
