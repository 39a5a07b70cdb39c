/*
 * Robust mutexes: who locks one whose owner has ended is told so, and repairs what it protects, or nobody can lock it
 * any more. A plain mutex is lost.
 *
 * heddle: args=repaired verdict=verified outcomes=0,130
 * heddle: args=lost verdict=verified
 * heddle: args=try verdict=verified outcomes=0,16,130
 * heddle: args=cond verdict=verified
 * heddle: args=cancelled verdict=verified outcomes=130
 * heddle: args=again verdict=verified
 * heddle: args=careless verdict=violation kind=assert
 * heddle: args=plain verdict=violation kind=deadlock
 * native: args=repaired any
 * native: args=lost
 * native: args=cond
 * native: args=cancelled any
 * native: args=again
 */
#include "guest.h"

static pthread_mutex_t lock;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int half_done;

static void *dies(void *arg)
{
	int r = pthread_mutex_lock(&lock);
	CHECK(!r || r == EOWNERDEAD || r == ENOTRECOVERABLE);
	half_done = 1;
	return arg;
}

static void *signals_and_dies(void *arg)
{
	OK(pthread_mutex_lock(&lock));
	half_done = 1;
	pthread_cond_signal(&changed);
	return arg;
}

static void *waits_for_ever(void *arg)
{
	OK(pthread_mutex_lock(&lock));
	for (;;)
		pause();
	return arg;
}

static void make(int robust)
{
	pthread_mutexattr_t attr;
	OK(pthread_mutexattr_init(&attr));
	OK(pthread_mutexattr_setrobust(&attr, robust));
	OK(pthread_mutex_init(&lock, &attr));
}

static int repair(int r)
{
	if (r == EOWNERDEAD) {
		half_done = 0;
		OK(pthread_mutex_consistent(&lock));
	}
	CHECK(pthread_mutex_consistent(&lock) == EINVAL);
	CHECK(!half_done);
	OK(pthread_mutex_unlock(&lock));
	return r;
}

int main(int argc, char **argv)
{
	make(story(argc, argv, "plain") ? PTHREAD_MUTEX_STALLED : PTHREAD_MUTEX_ROBUST);
	if (story(argc, argv, "cond")) { /* the signaller ends with the mutex locked */
		OK(pthread_mutex_lock(&lock));
		pthread_t t = spawn(signals_and_dies, NULL);
		int r = 0;
		while (!half_done && !r)
			r = pthread_cond_wait(&changed, &lock);
		CHECK(r == EOWNERDEAD);
		repair(r);
		join(t);
		return 0;
	}
	if (story(argc, argv, "cancelled")) {
		pthread_t t = spawn(waits_for_ever, NULL);
		usleep(1000);
		OK(pthread_cancel(t));
		join(t);
		int r = pthread_mutex_lock(&lock);
		heddle_outcome(r ? (unsigned long)r : EOWNERDEAD);
		return 0;
	}
	pthread_t t = spawn(dies, NULL);
	if (story(argc, argv, "repaired")) {
		int r = pthread_mutex_lock(&lock);
		heddle_outcome((unsigned long)repair(r));
	} else if (story(argc, argv, "try")) {
		int r = pthread_mutex_trylock(&lock);
		heddle_outcome((unsigned long)r);
		if (r != EBUSY)
			repair(r);
	} else if (story(argc, argv, "lost")) {
		join(t);
		CHECK(pthread_mutex_lock(&lock) == EOWNERDEAD);
		OK(pthread_mutex_unlock(&lock));
		CHECK(pthread_mutex_lock(&lock) == ENOTRECOVERABLE);
		CHECK(pthread_mutex_trylock(&lock) == ENOTRECOVERABLE);
		return 0;
	} else if (story(argc, argv, "again")) {
		join(t);
		join(spawn(dies, NULL));
		CHECK(pthread_mutex_lock(&lock) == EOWNERDEAD);
		repair(EOWNERDEAD);
		return 0;
	} else {
		pthread_mutex_lock(&lock); /* does not look whether the owner has died */
		CHECK(!half_done);
		pthread_mutex_unlock(&lock);
	}
	join(t);
	return 0;
}
