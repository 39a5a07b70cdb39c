/* A deadlock behind some thousand steps, for the report of a long execution. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int rounds, limit;

static void *other(void *arg)
{
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;

	limit = argc > 1 ? atoi(argv[1]) : 10;
	for (rounds = 0; rounds < limit; rounds++) {
		pthread_mutex_lock(&a);
		pthread_mutex_unlock(&a);
	}
	pthread_create(&t, NULL, other, NULL);
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	return 0;
}
