/*
 * spin_lock_relaxed.c: a spin lock of an atomic flag that is cleared without release.
 *
 * heddle: verdict=violation kind=race message~="don't order"
 */
#include <stdatomic.h>

#include "guest.h"

static atomic_int taken;
static int count;

static void *body(void *arg)
{
	int free_value = 0;

	while (!atomic_compare_exchange_strong_explicit(&taken, &free_value, 1, memory_order_acquire,
							memory_order_relaxed))
		free_value = 0;
	count++;
	atomic_store_explicit(&taken, 0, memory_order_relaxed);
	return arg;
}

int main(void)
{
	pthread_t a = spawn(body, NULL), b = spawn(body, NULL);

	join(a);
	join(b);
	heddle_outcome(count);
	return 0;
}
