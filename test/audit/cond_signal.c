// Which of two waiters a signal wakes depends on who waits by then.
// plant: memory * *
// in: cond_signal
// names: thread|memory|condition
#include "audit.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;
static void waiter(void)
{
	pthread_mutex_lock(&m);
	while (!ready)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
}
static void waker(void)
{
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&m);
}
PROGRAM(waiter, waiter, waker)
