/*
 * message_passing.c: two variables written in order are not seen in the other order: never 1 and then 0.
 *
 * heddle: verdict=verified outcomes=0,1,11
 */
#include <stdatomic.h>

#include "guest.h"

static atomic_int data, flag;

static void *writer(void *arg)
{
	atomic_store_explicit(&data, 1, memory_order_relaxed);
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(writer, NULL);
	int f = atomic_load_explicit(&flag, memory_order_relaxed);
	int d = atomic_load_explicit(&data, memory_order_relaxed);

	join(t);
	heddle_outcome(f * 10 + d);
	return 0;
}
