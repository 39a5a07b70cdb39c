/*
 * mutex_try_observes.c: trylock can see that a lock is held, so the critical section
 * must be more than one step: got it before (0) or after (2), or busy (-1); the
 * middle (1) shows to nobody.
 *
 * heddle: verdict=verified outcomes=-1,0,2
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *holder(void *arg)
{
	pthread_mutex_lock(&lock);
	x = 1;
	x = 2;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(holder, NULL);
	int rc = pthread_mutex_trylock(&lock);
	CHECK(rc == 0 || rc == EBUSY);
	heddle_outcome(rc ? -1 : x);
	if (!rc)
		pthread_mutex_unlock(&lock);
	join(t);
	return 0;
}
