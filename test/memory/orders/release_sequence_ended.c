/*
 * release_sequence_ended.c: a relaxed store of another thread ends the release sequence.
 *
 * heddle: verdict=violation kind=race message~="don't order"
 */
#include <stdatomic.h>

#include "guest.h"

static int data;
static atomic_int flag;

static void *writer(void *arg)
{
	data = 42;
	atomic_store_explicit(&flag, 1, memory_order_release);
	return arg;
}

static void *between(void *arg)
{
	if (atomic_load_explicit(&flag, memory_order_relaxed) == 1)
		atomic_store_explicit(&flag, 2, memory_order_relaxed);
	return arg;
}

int main(void)
{
	pthread_t a = spawn(writer, NULL), b = spawn(between, NULL);

	if (atomic_load_explicit(&flag, memory_order_acquire) == 2)
		heddle_assert(data == 42);
	join(a);
	join(b);
	return 0;
}
