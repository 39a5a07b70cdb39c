/*
 * flag_before_data.c: the flag is atomic, but it is set before the data is written: the race is on the data.
 *
 * heddle: verdict=violation kind=race message~="data"
 * heddle: verdict=verified options="--races ignore" outcomes=-1,0,42
 */
#include <stdatomic.h>

#include "guest.h"

static int data;
static atomic_int flag;

static void *writer(void *arg)
{
	atomic_store(&flag, 1);
	data = 42;
	return arg;
}

int main(void)
{
	pthread_t t = spawn(writer, NULL);
	int seen = -1;

	if (atomic_load(&flag))
		seen = data;
	join(t);
	heddle_outcome(seen);
	return 0;
}
