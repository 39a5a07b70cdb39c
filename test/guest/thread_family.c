/*
 * thread_family.c: threads start threads, a thread is joined by its sibling, and
 * slots of ended threads serve again.
 *
 * heddle: verdict=verified outcomes=7
 */
#include "guest.h"

static void *leaf(void *arg)
{
	return arg;
}

static void *parent(void *arg)
{
	pthread_t child = spawn(leaf, arg);
	return (void *)child;
}

static void *adopter(void *child)
{
	return join((pthread_t)child);
}

int main(void)
{
	long sum = 0;
	for (long i = 1; i <= 4; i *= 2) {
		void *child = join(spawn(parent, (void *)i));
		sum += (long)join(spawn(adopter, child));
	}
	heddle_outcome(sum);
	return 0;
}
