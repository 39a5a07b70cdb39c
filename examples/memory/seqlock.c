/*
 * A sequence lock: the writer makes the count odd, writes, makes it even; a
 * reader takes what it read only if the count was even before and the same
 * afterwards. The data is atomic, because readers do read while it is written.
 * The fault: the reader does not look at the count again.
 */
#include "common.h"

#define WRITES 2
#define READS 2

static atomic_uint sequence;
static atomic_int left, right; /* always equal, for those who read properly */

static void write_pair(int value)
{
	unsigned even = atomic_load_explicit(&sequence, memory_order_relaxed); /* one writer only */

	atomic_store(&sequence, even + 1);
	atomic_store(&left, value);
	atomic_store(&right, value);
	atomic_store(&sequence, even + 2);
}

static void read_pair(int *l, int *r)
{
	unsigned before;

	do {
		while ((before = atomic_load(&sequence)) & 1)
			;
		*l = atomic_load(&left);
		*r = atomic_load(&right);
	} while (!FAULT && atomic_load(&sequence) != before);
}

static void *writer(void *arg)
{
	for (int i = 1; i <= WRITES; i++)
		write_pair(i);
	return arg;
}

static void *reader(void *arg)
{
	int newest = 0;

	for (int i = 0; i < READS; i++) {
		int l, r;
		read_pair(&l, &r);
		assert(l == r);
		assert(l >= newest);
		newest = l;
	}
	return arg;
}

int main(void)
{
	pthread_t w = start(writer, NULL), r = start(reader, NULL);

	finish(w);
	finish(r);
	return 0;
}
