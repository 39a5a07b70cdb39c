/*
 * volatile_and_plain.c: a volatile write and a plain read.
 *
 * heddle: verdict=violation kind=race
 */
#include "guest.h"

static int value;

static void *body(void *arg)
{
	*(volatile int *)&value = 1;
	return arg;
}

int main(void)
{
	pthread_t t = spawn(body, NULL);
	int seen = value;

	join(t);
	heddle_outcome(seen);
	return 0;
}
