/*
 * talks.c: says something on both streams, then two threads lock two mutexes in
 * opposite order. End-to-end tests replay its deadlock.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;

static void *backwards(void *arg)
{
	printf("the thread goes backwards\n");
	pthread_mutex_lock(&second);
	pthread_mutex_lock(&first);
	pthread_mutex_unlock(&first);
	pthread_mutex_unlock(&second);
	return arg;
}

int main(void)
{
	pthread_t t;
	fprintf(stderr, "main complains\n");
	pthread_create(&t, NULL, backwards, NULL);
	pthread_mutex_lock(&first);
	pthread_mutex_lock(&second);
	pthread_mutex_unlock(&second);
	pthread_mutex_unlock(&first);
	pthread_join(t, NULL);
	printf("never in a deadlock\n");
	return 0;
}
