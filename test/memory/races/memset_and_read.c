/*
 * memset_and_read.c: a range is cleared while one byte in the middle of it is read.
 *
 * heddle: verdict=violation kind=race message~="buffer"
 * heddle: verdict=verified options="--races ignore" outcomes=0,7
 */
#include "guest.h"

static char buffer[64];

static void *clear(void *arg)
{
	memset(buffer, 7, sizeof buffer);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(clear, NULL);
	int seen = buffer[33];

	join(t);
	heddle_outcome(seen);
	return 0;
}
