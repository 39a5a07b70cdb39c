/* The waiter tests, but the signal is sent without the mutex, between its test and its wait. */
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_int ready;

static void *producer(void *arg)
{
	atomic_fetch_add(&ready, 1);
	pthread_cond_signal(&c);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, producer, NULL);
	pthread_mutex_lock(&m);
	while (!atomic_fetch_add(&ready, 0))
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	return 0;
}
