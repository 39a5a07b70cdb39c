/*
 * plain_flag.c: data behind a flag that is a plain int. Under sequential consistency the data is
 * right whenever the flag is seen; the race on the flag is there all the same.
 *
 * heddle: verdict=violation kind=race message~="flag"
 * heddle: verdict=verified options="--races ignore" outcomes=-1,42
 */
#include "guest.h"

static int data, flag;

static void *writer(void *arg)
{
	data = 42;
	__asm__ volatile("" ::: "memory");
	flag = 1;
	return arg;
}

int main(void)
{
	pthread_t t = spawn(writer, NULL);
	int seen = -1;

	if (flag) {
		__asm__ volatile("" ::: "memory");
		seen = data;
	}
	join(t);
	heddle_outcome(seen);
	return 0;
}
