/*
 * wrong_join.c: main waits for one thread and reads what the other wrote.
 *
 * heddle: verdict=violation kind=race message~="results"
 * heddle: verdict=verified options="--races ignore" outcomes=0,2
 */
#include "guest.h"

static int results[2];

static void *body(void *arg)
{
	long me = (long)arg;

	results[me] = (int)me + 1;
	return NULL;
}

int main(void)
{
	pthread_t a = spawn(body, (void *)0), b = spawn(body, (void *)1);

	join(a);
	int seen = results[1];
	join(b);
	heddle_outcome(seen);
	return 0;
}
