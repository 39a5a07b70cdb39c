/*
 * long_search.c: aborts in the first execution that a depth-first search explores; behind
 * that lies a search of hours. For the interruption of searches that have found something.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include <heddle/heddle.h>

static void *body(void *arg)
{
	for (volatile int i = 0; i < 100; i++)
		sched_yield();
	return arg;
}

int main(void)
{
	pthread_t t[8];
	if (heddle_choose(2) == 0)
		abort();
	for (int i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, body, NULL);
	for (int i = 0; i < 8; i++)
		pthread_join(t[i], NULL);
	return 0;
}
