/*
 * A ring buffer for one producer and one consumer, without locks: the producer
 * owns the write count, the consumer the read count, and a slot belongs to
 * whoever the counts say. The fault: the producer announces the slot before
 * it has filled it.
 */
#include "common.h"

#define SLOTS 2
#define ITEMS 3

static int slots[SLOTS]; /* plain: handed over by the counts */
static atomic_uint written, taken;

static void put(int value)
{
	unsigned w = atomic_load_explicit(&written, memory_order_relaxed);

	while (w - atomic_load_explicit(&taken, memory_order_acquire) == SLOTS)
		;
	if (FAULT)
		atomic_store_explicit(&written, w + 1, memory_order_release);
	slots[w % SLOTS] = value;
	if (!FAULT)
		atomic_store_explicit(&written, w + 1, memory_order_release);
}

static int get(void)
{
	unsigned t = atomic_load_explicit(&taken, memory_order_relaxed);

	while (atomic_load_explicit(&written, memory_order_acquire) == t)
		;
	int value = slots[t % SLOTS];
	atomic_store_explicit(&taken, t + 1, memory_order_release);
	return value;
}

static void *producer(void *arg)
{
	for (int i = 1; i <= ITEMS; i++)
		put(i);
	return arg;
}

static void *consumer(void *arg)
{
	for (int i = 1; i <= ITEMS; i++) {
		int value = get();
		assert(value == i);
	}
	return arg;
}

int main(void)
{
	pthread_t p = start(producer, NULL), c = start(consumer, NULL);

	finish(p);
	finish(c);
	return 0;
}
