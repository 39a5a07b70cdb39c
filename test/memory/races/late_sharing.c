/*
 * late_sharing.c: the second thread comes to the variable only after the first has finished with it in
 * the order that is tried first; the race shows in others. What was found to be shared late must be
 * looked at again from the start.
 *
 * heddle: verdict=violation kind=race message~="late"
 * heddle: verdict=verified options="--races ignore" outcomes=1,2
 * heddle: verdict=verified options="--races ignore --strategy bfs" outcomes=1,2
 */
#include "guest.h"

static int late;

static __attribute__((noinline)) void touch(int *p)
{
	++*p;
}

static void *early(void *arg)
{
	touch(&late);
	return arg;
}

static void *second(void *arg)
{
	sched_yield();
	sched_yield();
	touch(&late);
	return arg;
}

int main(void)
{
	pthread_t a = spawn(early, NULL), b = spawn(second, NULL);

	join(a);
	join(b);
	heddle_outcome(late);
	return 0;
}
