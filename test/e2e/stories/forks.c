/* Locks in an array on the heap: "forks[1]", not an address. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t *forks;

static void *dine(void *arg)
{
	long n = (long)arg;

	pthread_mutex_lock(&forks[n]);
	pthread_mutex_lock(&forks[(n + 1) % 3]);
	pthread_mutex_unlock(&forks[(n + 1) % 3]);
	pthread_mutex_unlock(&forks[n]);
	return arg;
}

int main(void)
{
	pthread_t t[3];

	forks = malloc(3 * sizeof(*forks));
	for (long i = 0; i < 3; i++)
		pthread_mutex_init(&forks[i], NULL);
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, dine, (void *)i);
	for (long i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
