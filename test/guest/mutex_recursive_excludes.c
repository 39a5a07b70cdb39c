/*
 * mutex_recursive_excludes.c: a recursive mutex is free only after as many unlocks as
 * locks: the inner unlock lets nobody in.
 *
 * heddle: verdict=verified outcomes=0,2
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int x;

static void *body(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_lock(&lock);
	x = 1;
	pthread_mutex_unlock(&lock);
	sched_yield();
	x = 2;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(body, NULL);
	pthread_mutex_lock(&lock);
	heddle_outcome(x);
	pthread_mutex_unlock(&lock);
	join(t);
	return 0;
}
