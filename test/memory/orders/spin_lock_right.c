/*
 * spin_lock_right.c: a spin lock of an atomic flag; a failed attempt is relaxed, which does no harm.
 *
 * heddle: verdict=verified outcomes=2
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
	atomic_store_explicit(&taken, 0, memory_order_release);
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
