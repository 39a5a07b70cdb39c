/*
 * cancel_cond.c: a waiter cancelled in pthread_cond_wait has the mutex again when its
 * cleanup handlers run; another waiter is not disturbed, and a signal after the
 * cancellation reaches it (no wake-up is eaten by the dead).
 *
 * heddle: verdict=verified outcomes=1
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int waiting, ready, cleaned;

static void release(void *arg)
{
	(void)arg;
	cleaned++;
	OK(pthread_mutex_unlock(&lock));
}

static void *waiter(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(release, NULL);
	waiting++;
	while (!ready)
		pthread_cond_wait(&cond, &lock);
	pthread_cleanup_pop(0);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t victim = spawn(waiter, NULL), other = spawn(waiter, NULL);
	OK(pthread_cancel(victim));
	CHECK(join(victim) == PTHREAD_CANCELED);
	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&lock);
	CHECK(join(other) == NULL);
	heddle_outcome(cleaned);
	return 0;
}
