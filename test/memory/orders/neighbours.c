/*
 * neighbours.c: bytes side by side, each published by a flag of its own, one of them relaxed: that one races.
 *
 * heddle: verdict=violation kind=race message~="don't order"
 */
#include <stdatomic.h>

#include "guest.h"

static char data[4];
static atomic_int right, wrong;

static void *writer(void *arg)
{
	data[0] = 1;
	atomic_store_explicit(&right, 1, memory_order_release);
	data[1] = 1;
	atomic_store_explicit(&wrong, 1, memory_order_relaxed);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(writer, NULL);

	if (atomic_load_explicit(&right, memory_order_acquire))
		heddle_assert(data[0] == 1);
	data[2] = 1;
	if (atomic_load_explicit(&wrong, memory_order_acquire))
		heddle_assert(data[1] == 1);
	join(t);
	return 0;
}
