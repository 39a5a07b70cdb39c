/*
 * Producers and consumers of allocated items, with one condition variable for
 * "not empty" and one for "not full". What a producer allocates a consumer prints and frees.
 *
 *     bounded-buffer PRODUCERS CONSUMERS SIZE ITEMS
 *
 * Each producer makes ITEMS items; the consumers share them as evenly as possible.
 * test/models/bounded_buffer.py predicts its states and transitions.
 */
#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_THREADS 16
#define MAX_SIZE 16
/*
 * A function whose registers are restored when it returns. Inlined, it would leave a
 * stale item or a trace of having waited in registers of the thread; that means nothing to the
 * program, but states that differ in it are different states.
 */
#define ON_ITS_OWN __attribute__((noinline))

struct item {
	int producer, number;
};

static int producers, consumers, size, items;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static struct item *buffer[MAX_SIZE]; /* a ring; a free slot is NULL */
static int in, out, used;

static ON_ITS_OWN void await_room(void)
{
	while (used == size)
		pthread_cond_wait(&not_full, &lock);
}

static ON_ITS_OWN void await_item(void)
{
	while (used == 0)
		pthread_cond_wait(&not_empty, &lock);
}

static void put(struct item *item)
{
	pthread_mutex_lock(&lock);
	await_room();
	assert(buffer[in] == NULL);
	buffer[in] = item;
	in = (in + 1) % size;
	used++;
	pthread_cond_signal(&not_empty);
	pthread_mutex_unlock(&lock);
}

static struct item *get(void)
{
	struct item *item;

	pthread_mutex_lock(&lock);
	await_item();
	item = buffer[out];
	assert(item != NULL);
	buffer[out] = NULL;
	out = (out + 1) % size;
	used--;
	pthread_cond_signal(&not_full);
	pthread_mutex_unlock(&lock);
	return item;
}

static ON_ITS_OWN void produce(int me, int number)
{
	struct item *item = malloc(sizeof(*item));

	assert(item != NULL);
	item->producer = me;
	item->number = number;
	put(item);
}

static ON_ITS_OWN void consume(void)
{
	struct item *item = get();

	printf("item %d of producer %d\n", item->number, item->producer);
	free(item);
}

static void *producer(void *arg)
{
	for (int number = 0; number < items; number++)
		produce((int)(long)arg, number);
	return NULL;
}

static void *consumer(void *arg)
{
	int total = producers * items;
	int share = total / consumers + ((long)arg < total % consumers);

	for (; share > 0; share--)
		consume();
	return NULL;
}

static int number(const char *text, int high)
{
	int value = atoi(text);

	if (value < 1 || value > high) {
		fprintf(stderr, "bounded-buffer: %s is not from 1 to %d\n", text, high);
		exit(2);
	}
	return value;
}

int main(int argc, char **argv)
{
	pthread_t threads[2 * MAX_THREADS];

	if (argc != 5) {
		fprintf(stderr, "usage: bounded-buffer PRODUCERS CONSUMERS SIZE ITEMS\n");
		return 2;
	}
	producers = number(argv[1], MAX_THREADS);
	consumers = number(argv[2], MAX_THREADS);
	size = number(argv[3], MAX_SIZE);
	items = number(argv[4], 100);
	printf("%d producers, %d consumers, room for %d\n", producers, consumers, size);
	for (int i = 0; i < producers; i++)
		if (pthread_create(&threads[i], NULL, producer, (void *)(long)i))
			return 2;
	for (int i = 0; i < consumers; i++)
		if (pthread_create(&threads[producers + i], NULL, consumer, (void *)(long)i))
			return 2;
	for (int i = 0; i < producers + consumers; i++)
		pthread_join(threads[i], NULL);
	assert(used == 0);
	return 0;
}
