/*
 * unlocked_counter.c: counter++ in two threads, no lock: a race, and an update may get lost.
 *
 * heddle: verdict=violation kind=race message~="counter" where=@add
 * heddle: verdict=verified options="--races ignore" outcomes=1,2
 */
#include "guest.h"

static int counter;

static void *body(void *arg)
{
	counter++; /* @add */
	return arg;
}

int main(void)
{
	pthread_t a = spawn(body, NULL), b = spawn(body, NULL);

	join(a);
	join(b);
	heddle_outcome(counter);
	return 0;
}
