/*
 * cond_broadcast.c: broadcast wakes all waiters; they get the mutex one by one, in any
 * order.
 *
 * heddle: verdict=verified outcomes=123,132,213,231,312,321
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int go, order;

static void *waiter(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!go)
		pthread_cond_wait(&cond, &lock);
	order = order * 10 + (int)(long)arg;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t t[3];
	for (long i = 0; i < 3; i++)
		t[i] = spawn(waiter, (void *)(i + 1));
	pthread_mutex_lock(&lock);
	go = 1;
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 3; i++)
		join(t[i]);
	heddle_outcome(order);
	return 0;
}
