/*
 * seqlock_atomic.c: a sequence lock as C11 wants it: relaxed atomic data, and fences.
 *
 * heddle: verdict=verified
 */
#include <stdatomic.h>

#include "guest.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wtsan" /* fences */
#endif

static atomic_uint sequence;
static atomic_int left, right;

static void *writer(void *arg)
{
	atomic_store_explicit(&sequence, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&left, 1, memory_order_relaxed);
	atomic_store_explicit(&right, 1, memory_order_relaxed);
	atomic_store_explicit(&sequence, 2, memory_order_release);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(writer, NULL);
	unsigned before = atomic_load_explicit(&sequence, memory_order_acquire);
	int l = atomic_load_explicit(&left, memory_order_relaxed);
	int r = atomic_load_explicit(&right, memory_order_relaxed);

	atomic_thread_fence(memory_order_acquire);
	if (!(before & 1) && before == atomic_load_explicit(&sequence, memory_order_relaxed))
		heddle_assert(l == r);
	join(t);
	return 0;
}
