/*
 * Dining philosophers, each eats once. With "bad" everybody takes the left fork
 * first, and they may starve; otherwise the fork with the lower number comes first.
 *
 *     philosophers N [bad]        (built with -DFAULT it is always bad)
 *
 * test/models/philosophers.py predicts its states and transitions.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PHILOSOPHERS 32

#ifdef FAULT
#define ALWAYS_BAD 1
#else
#define ALWAYS_BAD 0
#endif

static int philosophers;
static int bad;
static pthread_mutex_t forks[MAX_PHILOSOPHERS];
static int meals[MAX_PHILOSOPHERS];

static void *philosopher(void *arg)
{
	int me = (int)(long)arg;
	int first = me, second = (me + 1) % philosophers;

	if (!bad && first > second) {
		first = second;
		second = me;
	}
	pthread_mutex_lock(&forks[first]);
	pthread_mutex_lock(&forks[second]);
	meals[me]++;
	pthread_mutex_unlock(&forks[second]);
	pthread_mutex_unlock(&forks[first]);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MAX_PHILOSOPHERS];

	philosophers = argc > 1 ? atoi(argv[1]) : 0;
	bad = argc == 3 && strcmp(argv[2], "bad") == 0;
	if (philosophers < 2 || philosophers > MAX_PHILOSOPHERS || argc > 2 + bad) {
		fprintf(stderr, "usage: philosophers N [bad]     N from 2 to %d\n", MAX_PHILOSOPHERS);
		return 2;
	}
	bad |= ALWAYS_BAD;
	for (int i = 0; i < philosophers; i++)
		pthread_mutex_init(&forks[i], NULL);
	for (int i = 0; i < philosophers; i++)
		if (pthread_create(&threads[i], NULL, philosopher, (void *)(long)i))
			return 2;
	for (int i = 0; i < philosophers; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
