/*
 * Thread programs as other tools' papers measure them (bench/peers):
 *
 *     threads philosophers N          forks taken in order
 *     threads deadlock N              everybody takes the left one first
 *     threads buffer P C SIZE ITEMS   bounded buffer: a mutex, two condition variables, broadcast
 *     threads signal P C SIZE ITEMS   the same with one condition variable and signal: can deadlock
 *     threads readers R W             readers and writers by a mutex and a condition variable
 *     threads rwlock R W              the same by a pthread_rwlock_t
 *     threads independent N M         each thread takes a lock of its own, M times
 *     threads counter N M             each thread adds to a counter under one lock, M times
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 64

static long a[4]; /* the numbers of the command line */
static pthread_mutex_t lock[MOST];
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER, room = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static long value, readers;
static bool writing;

static void *philosopher(void *arg)
{
	long left = (long)arg, right = (left + 1) % a[0], low = left < right ? left : right;
	pthread_mutex_lock(&lock[low]);
	pthread_mutex_lock(&lock[left + right - low]);
	pthread_mutex_unlock(&lock[left + right - low]);
	pthread_mutex_unlock(&lock[low]);
	return NULL;
}

static void *greedy(void *arg)
{
	long left = (long)arg, right = (left + 1) % a[0];
	pthread_mutex_lock(&lock[left]);
	pthread_mutex_lock(&lock[right]);
	pthread_mutex_unlock(&lock[right]);
	pthread_mutex_unlock(&lock[left]);
	return NULL;
}

static void *producer(void *arg)
{
	for (long i = 0; i < a[3]; i++) {
		pthread_mutex_lock(&one);
		while (value == a[2])
			pthread_cond_wait(arg ? &changed : &room, &one);
		value++;
		if (arg)
			pthread_cond_signal(&changed);
		else
			pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&one);
	}
	return NULL;
}

static void *consumer(void *arg)
{
	for (long i = 0; i < a[3] * a[0] / a[1]; i++) {
		pthread_mutex_lock(&one);
		while (!value)
			pthread_cond_wait(&changed, &one);
		value--;
		if (arg)
			pthread_cond_signal(&changed);
		else
			pthread_cond_broadcast(&room);
		pthread_mutex_unlock(&one);
	}
	return NULL;
}

static void *reader(void *arg)
{
	pthread_mutex_lock(&one);
	while (writing)
		pthread_cond_wait(&changed, &one);
	readers++;
	pthread_mutex_unlock(&one);
	assert(!writing);
	pthread_mutex_lock(&one);
	if (!--readers)
		pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&one);
	return arg;
}

static void *writer(void *arg)
{
	pthread_mutex_lock(&one);
	while (writing || readers)
		pthread_cond_wait(&changed, &one);
	writing = true;
	pthread_mutex_unlock(&one);
	value++;
	pthread_mutex_lock(&one);
	writing = false;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&one);
	return arg;
}

static void *rwlock_reader(void *arg)
{
	pthread_rwlock_rdlock(&rwlock);
	assert(value >= 0);
	pthread_rwlock_unlock(&rwlock);
	return arg;
}

static void *rwlock_writer(void *arg)
{
	pthread_rwlock_wrlock(&rwlock);
	value++;
	pthread_rwlock_unlock(&rwlock);
	return arg;
}

static void *independent(void *arg)
{
	for (long i = 0; i < a[1]; i++) {
		pthread_mutex_lock(&lock[(long)arg]);
		pthread_mutex_unlock(&lock[(long)arg]);
	}
	return NULL;
}

static void *counter(void *arg)
{
	for (long i = 0; i < a[1]; i++) {
		pthread_mutex_lock(&one);
		value++;
		pthread_mutex_unlock(&one);
	}
	return arg;
}

static const struct {
	const char *name;
	void *(*body)(void *);
	void *(*second)(void *); /* of the second kind of threads; their number is the second of the line */
	bool signals;
} programs[] = {
	{"philosophers", philosopher, NULL, false}, {"deadlock", greedy, NULL, false},
	{"buffer", producer, consumer, false},      {"signal", producer, consumer, true},
	{"readers", reader, writer, false},         {"rwlock", rwlock_reader, rwlock_writer, false},
	{"independent", independent, NULL, false},  {"counter", counter, NULL, false},
};

int main(int argc, char **argv)
{
	pthread_t threads[MOST];
	size_t which = 0;
	long n = 0;
	while (argc > 1 && which < sizeof(programs) / sizeof(*programs) &&
	       strcmp(argv[1], programs[which].name) != 0)
		which++;
	for (int i = 2; i < argc && i < 6; i++)
		a[i - 2] = atol(argv[i]);
	bool two = which < sizeof(programs) / sizeof(*programs) && programs[which].second;
	if (argc < 3 || which == sizeof(programs) / sizeof(*programs) || a[0] + (two ? a[1] : 0) > MOST) {
		fprintf(stderr, "threads: see the comment at the top of threads.c\n");
		return 2;
	}
	for (long i = 0; i < a[0]; i++)
		pthread_mutex_init(&lock[i], NULL);
	bool numbered = !two;
	for (long i = 0; i < a[0]; i++)
		pthread_create(&threads[n++], NULL, programs[which].body,
			       numbered ? (void *)i : (void *)(long)programs[which].signals);
	for (long i = 0; two && i < a[1]; i++)
		pthread_create(&threads[n++], NULL, programs[which].second,
			       (void *)(long)programs[which].signals);
	while (n)
		pthread_join(threads[--n], NULL);
	return 0;
}
