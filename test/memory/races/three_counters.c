/*
 * three_counters.c: three threads count, two of them twice, without a lock. The one that counts once may
 * read 0 at the start and write 1 at the end; any other number up to five is possible, too.
 *
 * heddle: verdict=violation kind=race
 * heddle: verdict=verified options="--races ignore" outcomes=1,2,3,4,5
 */
#include "guest.h"

static int counter;

static void *once(void *arg)
{
	counter++;
	return arg;
}

static void *twice(void *arg)
{
	once(arg);
	__asm__ volatile("" ::: "memory"); /* two additions, not one of two */
	once(arg);
	return arg;
}

int main(void)
{
	pthread_t a = spawn(twice, NULL), b = spawn(twice, NULL), c = spawn(once, NULL);

	join(a);
	join(b);
	join(c);
	heddle_outcome(counter);
	return 0;
}
