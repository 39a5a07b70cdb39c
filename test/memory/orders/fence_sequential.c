/*
 * fence_sequential.c: sequentially consistent fences around relaxed accesses.
 *
 * heddle: verdict=verified outcomes=-1,42
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
	atomic_thread_fence(memory_order_seq_cst);
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(writer, NULL);
	int seen = -1;

	if (atomic_load_explicit(&flag, memory_order_relaxed)) {
		atomic_thread_fence(memory_order_seq_cst);
		seen = data;
	}
	join(t);
	heddle_outcome(seen);
	return 0;
}
