/*
 * condvar_no_lock.c: the condition is changed without the lock under which it is tested; the wake-up
 * may get lost as well.
 *
 * heddle: verdict=violation kind=race message~="ready" options="--keep-going"
 * heddle: verdict=violation kind=deadlock options="--races ignore"
 * native: skip
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *setter(void *arg)
{
	ready = 1;
	pthread_cond_signal(&changed);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(setter, NULL);

	pthread_mutex_lock(&lock);
	while (!ready)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	join(t);
	return 0;
}
