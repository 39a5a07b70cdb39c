/*
 * rwlock_ops.c: every rwlock operation with its answer: readers share, writers
 * exclude, try and timed variants, EDEADLK for the owner who asks again.
 *
 * heddle: verdict=verified outcomes=1
 */
#include "guest.h"

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;

static void *while_read(void *arg)
{
	struct timespec past = {1, 0};
	OK(pthread_rwlock_tryrdlock(&rw));
	OK(pthread_rwlock_unlock(&rw));
	CHECK(pthread_rwlock_trywrlock(&rw) == EBUSY);
	CHECK(pthread_rwlock_timedwrlock(&rw, &past) == ETIMEDOUT);
	CHECK(pthread_rwlock_clockwrlock(&rw, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
	OK(pthread_rwlock_timedrdlock(&rw, &past));
	OK(pthread_rwlock_unlock(&rw));
	return arg;
}

static void *while_written(void *arg)
{
	struct timespec past = {1, 0};
	CHECK(pthread_rwlock_tryrdlock(&rw) == EBUSY);
	CHECK(pthread_rwlock_trywrlock(&rw) == EBUSY);
	CHECK(pthread_rwlock_timedrdlock(&rw, &past) == ETIMEDOUT);
	CHECK(pthread_rwlock_clockrdlock(&rw, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
	return arg;
}

int main(void)
{
	OK(pthread_rwlock_rdlock(&rw));
	OK(pthread_rwlock_rdlock(&rw));
	join(spawn(while_read, NULL));
	OK(pthread_rwlock_unlock(&rw));
	OK(pthread_rwlock_unlock(&rw));
	OK(pthread_rwlock_wrlock(&rw));
	CHECK(pthread_rwlock_wrlock(&rw) == EDEADLK);
	CHECK(pthread_rwlock_rdlock(&rw) == EDEADLK);
	join(spawn(while_written, NULL));
	OK(pthread_rwlock_unlock(&rw));
	OK(pthread_rwlock_destroy(&rw));
	pthread_rwlockattr_t attr;
	int kind;
	OK(pthread_rwlockattr_init(&attr));
	OK(pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP));
	OK(pthread_rwlockattr_getkind_np(&attr, &kind));
	CHECK(kind == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	OK(pthread_rwlock_init(&rw, &attr));
	OK(pthread_rwlockattr_destroy(&attr));
	OK(pthread_rwlock_trywrlock(&rw));
	OK(pthread_rwlock_unlock(&rw));
	OK(pthread_rwlock_destroy(&rw));
	heddle_outcome(1);
	return 0;
}
