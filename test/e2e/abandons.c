/* The first thread gives up when the second has ended and the third still waits. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void *end(void *arg)
{
	return arg;
}

static void *wait_for_ever(void *arg)
{
	pthread_mutex_lock(&held);
	return arg;
}

int main(void)
{
	pthread_t ends, waits;

	pthread_mutex_lock(&held);
	pthread_create(&ends, NULL, end, NULL);
	pthread_create(&waits, NULL, wait_for_ever, NULL);
	pthread_join(ends, NULL);
	abort();
}
