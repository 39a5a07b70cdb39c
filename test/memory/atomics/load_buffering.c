/*
 * load_buffering.c: each reads one variable and then writes the other: not both see the write.
 *
 * heddle: verdict=verified outcomes=0,1,10
 */
#include <stdatomic.h>

#include "guest.h"

static atomic_int x, y;
static int seen[2];

static void *first(void *arg)
{
	seen[0] = atomic_load_explicit(&x, memory_order_relaxed);
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	return arg;
}

static void *second(void *arg)
{
	seen[1] = atomic_load_explicit(&y, memory_order_relaxed);
	atomic_store_explicit(&x, 1, memory_order_relaxed);
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
