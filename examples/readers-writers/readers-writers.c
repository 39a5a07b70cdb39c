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

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t may_read = PTHREAD_COND_INITIALIZER;
static pthread_cond_t may_write = PTHREAD_COND_INITIALIZER;
static int reading, writing, waiting_writers;
static int value; /* 1 + the writer that was here last */

static void *reader(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	while (writing || waiting_writers)
		pthread_cond_wait(&may_read, &lock);
	reading++;
	pthread_mutex_unlock(&lock);

	printf("read %d\n", value);

	pthread_mutex_lock(&lock);
	assert(reading > 0 && !writing);
	if (--reading == 0)
		pthread_cond_signal(&may_write);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *writer(void *arg)
{
	pthread_mutex_lock(&lock);
	waiting_writers++;
	while (reading || writing)
		pthread_cond_wait(&may_write, &lock);
	waiting_writers--;
	writing = 1;
	pthread_mutex_unlock(&lock);

	value = 1 + (int)(long)arg;

	pthread_mutex_lock(&lock);
	assert(reading == 0 && value == 1 + (int)(long)arg);
	writing = 0;
	if (waiting_writers)
		pthread_cond_signal(&may_write);
	else
		pthread_cond_broadcast(&may_read);
	pthread_mutex_unlock(&lock);
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
