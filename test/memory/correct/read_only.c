/*
 * read_only.c: a table is filled before the threads start and only read afterwards; reads don't
 * race, and cost no states: there are those of starting, ending and joining.
 *
 * heddle: verdict=verified outcomes=190 states<=30
 */
#include "guest.h"

static int table[20];

static void *sum(void *arg)
{
	int *total = arg;

	for (int i = 0; i < 20; i++)
		*total += table[i];
	return NULL;
}

int main(void)
{
	int a = 0, b = 0;

	for (int i = 0; i < 20; i++)
		table[i] = i;
	pthread_t s = spawn(sum, &a), t = spawn(sum, &b);
	join(s);
	join(t);
	CHECK(a == b);
	heddle_outcome(a);
	return 0;
}
