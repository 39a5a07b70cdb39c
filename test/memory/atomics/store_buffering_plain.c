/*
 * store_buffering_plain.c: the same with plain variables, races ignored: the same results.
 *
 * heddle: verdict=violation kind=race
 * heddle: verdict=verified options="--races ignore" outcomes=1,10,11
 */
#include "guest.h"

static int x, y;
static int seen[2];

static void *first(void *arg)
{
	x = 1;
	__asm__ volatile("" ::: "memory");
	seen[0] = y;
	return arg;
}

static void *second(void *arg)
{
	y = 1;
	__asm__ volatile("" ::: "memory");
	seen[1] = x;
	return arg;
}

int main(void)
{
	pthread_t a = spawn(first, NULL), b = spawn(second, NULL);

	join(a);
	join(b);
	heddle_outcome(seen[0] * 10 + seen[1]);
	return 0;
}
