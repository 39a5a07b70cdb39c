/*
 * mutex_robust.c: the owner of a robust mutex ends: the next one is told, and mends it, or it is lost for good; a
 * normal mutex stays locked. Process-shared and priority-inheriting mutexes are like others here.
 *
 * heddle: args=mend verdict=verified outcomes=0,1
 * heddle: args=lost verdict=verified
 * heddle: args=wait verdict=verified
 * heddle: args=cancelled verdict=verified
 * heddle: args=normal verdict=violation kind=deadlock
 * heddle: args=shared verdict=verified
 * heddle: args=inherit verdict=verified
 * heddle: args=mine verdict=verified
 * native: args=mend
 * native: args=lost
 * native: args=wait
 * native: args=cancelled
 * native: args=shared
 * native: args=inherit
 * native: args=mine
 */
#include <sched.h>

#include "guest.h"

static pthread_mutex_t lock;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waits, in;

/* Ends with the lock. */
static void *dies(void *arg)
{
	OK(pthread_mutex_lock(&lock));
	if (arg)
		pause(); /* to be cancelled */
	return NULL;
}

static void *signals_and_dies(void *arg)
{
	OK(pthread_mutex_lock(&lock));
	while (!waits) {
		OK(pthread_mutex_unlock(&lock));
		sched_yield();
		OK(pthread_mutex_lock(&lock));
	}
	OK(pthread_cond_signal(&changed));
	return arg;
}

static void *works(void *arg)
{
	OK(pthread_mutex_lock(&lock));
	CHECK(++in == 1);
	in--;
	OK(pthread_mutex_unlock(&lock));
	return arg;
}

static void init(int argc, char **argv)
{
	pthread_mutexattr_t attr;
	OK(pthread_mutexattr_init(&attr));
	if (story(argc, argv, "shared"))
		OK(pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED));
	else if (story(argc, argv, "inherit"))
		OK(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT));
	else if (!story(argc, argv, "normal"))
		OK(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST));
	OK(pthread_mutex_init(&lock, &attr));
}

/* glibc: a robust mutex that checks for errors tells its owner, also who only tries. */
static void try_mine(int kind, int result)
{
	pthread_mutexattr_t attr;
	pthread_mutex_t m;
	OK(pthread_mutexattr_init(&attr));
	OK(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST));
	OK(pthread_mutexattr_settype(&attr, kind));
	OK(pthread_mutex_init(&m, &attr));
	OK(pthread_mutex_lock(&m));
	CHECK(pthread_mutex_trylock(&m) == result);
}

static void wait_for_signal(void)
{
	OK(pthread_mutex_lock(&lock));
	pthread_t t = spawn(signals_and_dies, NULL);
	waits = 1;
	CHECK(pthread_cond_wait(&changed, &lock) == EOWNERDEAD);
	OK(pthread_mutex_consistent(&lock));
	OK(pthread_mutex_unlock(&lock));
	join(t);
}

int main(int argc, char **argv)
{
	init(argc, argv);
	if (story(argc, argv, "wait")) {
		wait_for_signal();
		return 0;
	}
	if (story(argc, argv, "mine")) {
		try_mine(PTHREAD_MUTEX_ERRORCHECK, EDEADLK);
		try_mine(PTHREAD_MUTEX_RECURSIVE, 0);
		try_mine(PTHREAD_MUTEX_NORMAL, EBUSY);
		return 0;
	}
	int ends_well = story(argc, argv, "shared") || story(argc, argv, "inherit");
	int cancelled = story(argc, argv, "cancelled");
	pthread_t t = spawn(ends_well ? works : dies, cancelled ? &lock : NULL);
	if (ends_well) {
		works(NULL);
		join(t);
		return 0;
	}
	if (cancelled)
		OK(pthread_cancel(t));
	if (!story(argc, argv, "mend"))
		join(t);
	int r = pthread_mutex_lock(&lock);
	CHECK(r == EOWNERDEAD || ((story(argc, argv, "mend") || cancelled) && r == 0));
	CHECK(pthread_mutex_trylock(&lock) == EBUSY);
	if (story(argc, argv, "mend"))
		heddle_outcome(r == EOWNERDEAD);
	if (r && !story(argc, argv, "lost"))
		OK(pthread_mutex_consistent(&lock));
	CHECK(pthread_mutex_consistent(&lock) == (r && story(argc, argv, "lost") ? 0 : EINVAL));
	OK(pthread_mutex_unlock(&lock));
	if (story(argc, argv, "lost")) {
		t = spawn(dies, NULL);
		join(t);
		CHECK(pthread_mutex_lock(&lock) == EOWNERDEAD);
		OK(pthread_mutex_unlock(&lock));
		CHECK(pthread_mutex_lock(&lock) == ENOTRECOVERABLE);
		CHECK(pthread_mutex_trylock(&lock) == ENOTRECOVERABLE);
	}
	if (story(argc, argv, "mend") && !r)
		join(t);
	return 0;
}
