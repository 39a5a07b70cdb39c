/*
 * ring_right.c: a queue of one producer and one consumer, the indices with release and acquire.
 *
 * heddle: verdict=verified
 */
#include <stdatomic.h>

#include "guest.h"

#define ROOM 2
static int slot[ROOM];
static atomic_uint head, tail;

static void *producer(void *arg)
{
	for (int i = 1; i <= 3;) {
		unsigned t = atomic_load_explicit(&tail, memory_order_relaxed);

		if (t - atomic_load_explicit(&head, memory_order_acquire) == ROOM)
			continue;
		slot[t % ROOM] = i++;
		atomic_store_explicit(&tail, t + 1, memory_order_release);
	}
	return arg;
}

int main(void)
{
	pthread_t t = spawn(producer, NULL);
	int sum = 0;

	for (int i = 0; i < 3;) {
		unsigned h = atomic_load_explicit(&head, memory_order_relaxed);

		if (atomic_load_explicit(&tail, memory_order_acquire) == h)
			continue;
		sum += slot[h % ROOM];
		atomic_store_explicit(&head, h + 1, memory_order_release);
		i++;
	}
	join(t);
	heddle_assert(sum == 6);
	return 0;
}
