/*
 * coherence.c: one variable, two writes, two reads: what is seen does not go back.
 *
 * heddle: verdict=verified outcomes=0,1,2,11,12,22
 */
#include <stdatomic.h>

#include "guest.h"

static atomic_int x;

static void *writer(void *arg)
{
	atomic_store(&x, 1);
	atomic_store(&x, 2);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(writer, NULL);
	int first = atomic_load(&x), second = atomic_load(&x);

	join(t);
	heddle_outcome(first * 10 + second);
	return 0;
}
