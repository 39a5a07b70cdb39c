/*
 * heap_handed_over.c: threads give back blocks of another thread's while that one takes new ones.
 *
 * last N: of N threads the last that drops its reference gives the block back, while the first thread
 *     takes more. Where its blocks lie must not depend on who was fast: with places that are used again at
 *     once there are four times as many states.
 * many N: N blocks, one after another: their places have to be used again.
 * for_ever: the same without an end.
 *
 * heddle: args="last 3" verdict=verified outcomes=3 states<=150
 * heddle: args="last 3" options="--por on" verdict=verified outcomes=3 states<=60
 * heddle: args="many 300" options="--por on" verdict=verified outcomes=300
 * heddle: args="many 300" verdict=verified outcomes=300
 * heddle: args="for_ever" verdict=verified states<=200
 * native: args="last 3"
 * native: args="many 300"
 */
#include "guest.h"

#define MOST 4

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long references, dropped;
static long *shared, *handed;
static sem_t full, empty;

static void *drop(void *arg)
{
	OK(pthread_mutex_lock(&lock));
	dropped++;
	if (!--references)
		free(shared);
	OK(pthread_mutex_unlock(&lock));
	return arg;
}

static void last(long n)
{
	pthread_t t[MOST];
	long *own[MOST];
	CHECK(n <= MOST);
	shared = malloc(32);
	references = n;
	for (long i = 0; i < n; i++)
		t[i] = spawn(drop, NULL);
	for (long i = 0; i < n; i++) {
		OK(pthread_mutex_lock(&lock));
		own[i] = malloc(32);
		OK(pthread_mutex_unlock(&lock));
	}
	for (long i = 0; i < n; i++)
		join(t[i]);
	for (long i = 0; i < n; i++)
		free(own[i]);
	heddle_outcome(dropped);
}

/* How many; -1: no end. */
static void *taker(void *count)
{
	for (long i = 0; (long)count < 0 || i++ < (long)count;) {
		OK(sem_wait(&full));
		free(handed);
		OK(sem_post(&empty));
	}
	return NULL;
}

static void hand_over(long count)
{
	OK(sem_init(&full, 0, 0));
	OK(sem_init(&empty, 0, 1));
	pthread_t t = spawn(taker, (void *)count);
	for (long i = 0; count < 0 || i++ < count;) {
		OK(sem_wait(&empty));
		handed = malloc(32);
		OK(sem_post(&full));
	}
	join(t);
	heddle_outcome(count);
}

int main(int argc, char **argv)
{
	if (story(argc, argv, "last"))
		last(atol(argv[2]));
	else
		hand_over(story(argc, argv, "many") ? atol(argv[2]) : -1);
	return 0;
}
