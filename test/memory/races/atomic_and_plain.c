/*
 * atomic_and_plain.c: one side is atomic, the other is not: still a race.
 *
 * heddle: verdict=violation kind=race args=read
 * heddle: verdict=violation kind=race args=write
 * heddle: verdict=verified args=read options="--races ignore" outcomes=0,1
 * native: args=read
 * native: args=write
 */
#include "guest.h"

static int value;

static void *body(void *arg)
{
	__atomic_fetch_add(&value, 1, __ATOMIC_SEQ_CST);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t = spawn(body, NULL);
	int seen = 0;

	if (story(argc, argv, "read"))
		seen = value;
	else
		value = 5;
	join(t);
	heddle_outcome(seen);
	return 0;
}
