/*
 * volatile_and_atomic.c: volatile is not atomic; the message says which of the two accesses is which.
 *
 * heddle: verdict=violation kind=race message~="read volatile value.*update atomic value|update atomic value.*read volatile value"
 */
#include <stdatomic.h>

#include "guest.h"

static atomic_int value;

static void *body(void *arg)
{
	atomic_fetch_add(&value, 1);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(body, NULL);
	int seen = *(volatile int *)&value;

	join(t);
	heddle_outcome(seen);
	return 0;
}
