/*
 * Readers and writers of one value; waiting writers go before new readers.
 *
 *     readers-writers READERS WRITERS
 *
 * Each of them reads or writes once.
 * test/models/readers_writers.py predicts its states and transitions.
 */
#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_THREADS 16
/*
 * A function whose registers are restored when it returns. Inlined, it would leave a
 * trace of having waited in registers of the thread; that means nothing to the program,
 * but states that differ in it are different states.
 */
#define ON_ITS_OWN __attribute__((noinline))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t may_read = PTHREAD_COND_INITIALIZER;
static pthread_cond_t may_write = PTHREAD_COND_INITIALIZER;
static int reading, writing, waiting_writers;
static int value; /* 1 + the writer that was here last */

static ON_ITS_OWN void before_read(void)
{
	pthread_mutex_lock(&lock);
	while (writing || waiting_writers)
		pthread_cond_wait(&may_read, &lock);
	reading++;
	pthread_mutex_unlock(&lock);
}

static void after_read(void)
{
	pthread_mutex_lock(&lock);
	assert(reading > 0 && !writing);
	if (--reading == 0)
		pthread_cond_signal(&may_write);
	pthread_mutex_unlock(&lock);
}

static ON_ITS_OWN void before_write(void)
{
	pthread_mutex_lock(&lock);
	waiting_writers++;
	while (reading || writing)
		pthread_cond_wait(&may_write, &lock);
	waiting_writers--;
	writing = 1;
	pthread_mutex_unlock(&lock);
}

static void after_write(void)
{
	pthread_mutex_lock(&lock);
	assert(reading == 0 && writing);
	writing = 0;
	if (waiting_writers)
		pthread_cond_signal(&may_write);
	else
		pthread_cond_broadcast(&may_read);
	pthread_mutex_unlock(&lock);
}

static void *reader(void *arg)
{
	(void)arg;
	before_read();
	printf("read %d\n", value);
	after_read();
	return NULL;
}

static void *writer(void *arg)
{
	before_write();
	value = 1 + (int)(long)arg;
	after_write();
	return NULL;
}

int main(int argc, char **argv)
{
	int readers = argc == 3 ? atoi(argv[1]) : -1;
	int writers = argc == 3 ? atoi(argv[2]) : -1;
	pthread_t threads[2 * MAX_THREADS];

	if (readers < 0 || readers > MAX_THREADS || writers < 0 || writers > MAX_THREADS) {
		fprintf(stderr, "usage: readers-writers READERS WRITERS     at most %d each\n", MAX_THREADS);
		return 2;
	}
	printf("%d readers, %d writers\n", readers, writers);
	for (int i = 0; i < readers + writers; i++) {
		long me = i < readers ? i : i - readers;

		if (pthread_create(&threads[i], NULL, i < readers ? reader : writer, (void *)me))
			return 2;
	}
	for (int i = 0; i < readers + writers; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
