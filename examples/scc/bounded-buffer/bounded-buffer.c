/*
 * A bounded buffer as a monitor with one condition variable for both sides, as
 * Java monitors have it; therefore every change wakes everybody, and everybody
 * looks again. The fault: a consumer does not look again, but takes an item that
 * another one may have taken before it woke up.
 *
 *     bounded-buffer [SIZE [PRODUCERS [CONSUMERS [ITEMS]]]]
 *
 * Each producer puts ITEMS items; the consumers share them as evenly as possible.
 */
#include "../common.h"

#define MAX_SIZE 16
#define ITEM 1

static int size, producers, consumers, items;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
/* A ring; an empty slot is 0. */
static int slot[MAX_SIZE];
static int in, out, used;

/* The number of items fits the buffer and agrees with the two ends of the ring. */
int inv_used(void)
{
	return used >= 0 && used <= size && (out + used) % size == in;
}

static void leave(void)
{
	INVARIANT(inv_used());
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static ON_ITS_OWN void put(int item)
{
	pthread_mutex_lock(&lock);
	while (used == size)
		pthread_cond_wait(&changed, &lock);
	assert(slot[in] == 0);
	slot[in] = item;
	in = (in + 1) % size;
	used++;
	leave();
}

static ON_ITS_OWN int get(void)
{
	int item;

	pthread_mutex_lock(&lock);
	while (used == 0) {
		pthread_cond_wait(&changed, &lock);
		if (FAULT)
			break; /* "if" in place of "while" */
	}
	item = slot[out];
	assert(item == ITEM);
	slot[out] = 0;
	out = (out + 1) % size;
	used--;
	leave();
	return item;
}

static void *producer(void *arg)
{
	(void)arg;
	for (int left = items; left > 0; left--)
		put(ITEM);
	return NULL;
}

static void *consumer(void *arg)
{
	int total = producers * items;
	int share = total / consumers + ((long)arg < total % consumers);

	for (; share > 0; share--)
		get();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t p[MAX_THREADS], c[MAX_THREADS];

	size = scc_arg(argc, argv, 1, 5, 1, MAX_SIZE);
	producers = scc_arg(argc, argv, 2, 4, 1, MAX_THREADS);
	consumers = scc_arg(argc, argv, 3, 4, 1, MAX_THREADS);
	items = scc_arg(argc, argv, 4, 2, 1, 100);
	scc_start_all(p, producers, producer);
	scc_start_all(c, consumers, consumer);
	scc_join_all(p, producers);
	scc_join_all(c, consumers);
	assert(used == 0);
	printf("%d items went through the buffer\n", producers * items);
	return 0;
}
