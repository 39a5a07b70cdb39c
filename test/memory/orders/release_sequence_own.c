/*
 * release_sequence_own.c: relaxed stores of the same thread continue its release sequence (C11).
 *
 * heddle: verdict=verified
 */
#include <stdatomic.h>

#include "guest.h"

static int data;
static atomic_int flag;

static void *writer(void *arg)
{
	data = 42;
	atomic_store_explicit(&flag, 1, memory_order_release);
	atomic_store_explicit(&flag, 2, memory_order_relaxed);
	return arg;
}

int main(void)
{
	pthread_t a = spawn(writer, NULL);

	if (atomic_load_explicit(&flag, memory_order_acquire) == 2)
		heddle_assert(data == 42);
	join(a);
	return 0;
}
