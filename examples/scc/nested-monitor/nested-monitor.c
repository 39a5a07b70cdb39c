/*
 * A bounded buffer made of monitors inside a monitor: the semaphores `free_slots`
 * and `full_slots` are monitors themselves and are used by the buffer's operations.
 * A thread waits for a semaphore before it enters the buffer. The fault is the one
 * the example is known for: consumers wait inside, with the buffer's lock held, and
 * nobody can come in to wake them.
 *
 *     nested-monitor [SIZE [PRODUCERS [CONSUMERS [ITEMS]]]]
 */
#include "../common.h"

#define MAX_SIZE 16
#define ITEM 1

struct semaphore {
	pthread_mutex_t lock;
	pthread_cond_t positive;
	int value;
};

static int size, producers, consumers, items;
static struct semaphore free_slots = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
static struct semaphore full_slots = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
/* A ring, protected by buffer_lock; an empty slot is 0. */
static pthread_mutex_t buffer_lock = PTHREAD_MUTEX_INITIALIZER;
static int slot[MAX_SIZE];
static int in, out, used;

int inv_free_slots(void)
{
	return free_slots.value >= 0 && free_slots.value <= size;
}

int inv_full_slots(void)
{
	return full_slots.value >= 0 && full_slots.value <= size;
}

int inv_used(void)
{
	return used >= 0 && used <= size;
}

int inv_ends(void)
{
	return in >= 0 && in < size && out >= 0 && out < size;
}

int inv_ring(void)
{
	return (out + used) % size == in;
}

/* The first item is there if there is one, and the next free slot is free if there is one. */
int inv_slots(void)
{
	return (used == 0 || slot[out] == ITEM) && (used == size || slot[in] == 0);
}

static ON_ITS_OWN void down(struct semaphore *s, int (*invariant)(void))
{
	pthread_mutex_lock(&s->lock);
	while (s->value == 0)
		pthread_cond_wait(&s->positive, &s->lock);
	assert(s->value > 0);
	s->value--;
	INVARIANT(invariant());
	pthread_mutex_unlock(&s->lock);
}

static void up(struct semaphore *s, int (*invariant)(void))
{
	pthread_mutex_lock(&s->lock);
	s->value++;
	INVARIANT(invariant());
	pthread_cond_signal(&s->positive);
	pthread_mutex_unlock(&s->lock);
}

static void leave_buffer(void)
{
	INVARIANT(inv_used());
	INVARIANT(inv_ends());
	INVARIANT(inv_ring());
	INVARIANT(inv_slots());
	pthread_mutex_unlock(&buffer_lock);
}

static void *producer(void *arg)
{
	(void)arg;
	for (int left = items; left > 0; left--) {
		down(&free_slots, inv_free_slots);
		pthread_mutex_lock(&buffer_lock);
		assert(slot[in] == 0);
		slot[in] = ITEM;
		in = (in + 1) % size;
		used++;
		up(&full_slots, inv_full_slots);
		leave_buffer();
	}
	return NULL;
}

static void get(void)
{
	if (!FAULT)
		down(&full_slots, inv_full_slots);
	pthread_mutex_lock(&buffer_lock);
	if (FAULT)
		down(&full_slots, inv_full_slots);
	assert(slot[out] == ITEM);
	slot[out] = 0;
	out = (out + 1) % size;
	used--;
	up(&free_slots, inv_free_slots);
	leave_buffer();
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
	items = scc_arg(argc, argv, 4, 1, 1, 100);
	free_slots.value = size;
	scc_start_all(p, producers, producer);
	scc_start_all(c, consumers, consumer);
	scc_join_all(p, producers);
	scc_join_all(c, consumers);
	assert(used == 0 && free_slots.value == size);
	printf("%d items went through the buffer\n", producers * items);
	return 0;
}
