/*
 * fence_wrong_side.c: the release fence comes behind the store: it orders nothing.
 *
 * heddle: verdict=violation kind=race message~="don't order"
 */
#include <stdatomic.h>

#include "guest.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wtsan" /* fences */
#endif

static int data;
static atomic_int flag;

static void *writer(void *arg)
{
	data = 42;
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(writer, NULL);
	int seen = -1;

	if (atomic_load_explicit(&flag, memory_order_acquire)) {
		seen = data;
	}
	join(t);
	heddle_outcome(seen);
	return 0;
}
