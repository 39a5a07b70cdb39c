/*
 * cond_spurious.c: `if` instead of `while` around a wait: right as long as no wake-up
 * is spurious, wrong with --spurious.
 *
 * heddle: verdict=verified outcomes=1
 * heddle: verdict=verified outcomes=0,1 options="--spurious"
 * native: any
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;

static void *waiter(void *arg)
{
	pthread_mutex_lock(&lock);
	if (!ready)
		pthread_cond_wait(&cond, &lock);
	heddle_outcome(ready);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(waiter, NULL);
	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&lock);
	join(t);
	return 0;
}
