/*
 * loop_variable.c: the address of the loop variable as argument: the classic.
 *
 * heddle: verdict=violation kind=race
 */
#include "guest.h"

static int seen[3];

static void *body(void *arg)
{
	int me = *(int *)arg;

	if (me < 2)
		seen[me] = 1; /* maybe twice, maybe never */
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	int i;

	for (i = 0; i < 2; i++)
		threads[i] = spawn(body, &i);
	join(threads[0]);
	join(threads[1]);
	heddle_outcome(seen[0] * 10 + seen[1]);
	return 0;
}
