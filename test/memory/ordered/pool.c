/*
 * pool.c: a pool of two workers, with a queue of jobs under a mutex. Input and output of a job are handed over with it.
 *
 * heddle: verdict=verified states=1610
 */
#include "guest.h"

#define WORKERS 2
#define JOBS 3
#define SIZE 200

struct job {
	struct job *next;
	unsigned char in[SIZE], out[SIZE];
	int done;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, finished = PTHREAD_COND_INITIALIZER;
static struct job *first, **last = &first;
static int stop;

static struct job *next_job(void)
{
	pthread_mutex_lock(&lock);
	while (!first && !stop)
		pthread_cond_wait(&work, &lock);
	struct job *j = first;
	if (j)
		first = j->next;
	if (!first)
		last = &first;
	pthread_mutex_unlock(&lock);
	return j;
}

static void *worker(void *arg)
{
	for (struct job *j; (j = next_job());) {
		for (int i = 0; i < SIZE; i++)
			j->out[i] = j->in[SIZE - 1 - i] ^ 0x55;
		pthread_mutex_lock(&lock);
		j->done = 1;
		pthread_cond_signal(&finished);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static struct job *submit(int k)
{
	struct job *j = calloc(1, sizeof(*j));

	memset(j->in, k, SIZE);
	pthread_mutex_lock(&lock);
	*last = j;
	last = &j->next;
	pthread_cond_signal(&work);
	pthread_mutex_unlock(&lock);
	return j;
}

static void collect(struct job *j, int k)
{
	pthread_mutex_lock(&lock);
	while (!j->done)
		pthread_cond_wait(&finished, &lock);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < SIZE; i++)
		CHECK(j->out[i] == (k ^ 0x55));
	free(j);
}

int main(void)
{
	pthread_t t[WORKERS];
	struct job *job[JOBS];

	for (int i = 0; i < WORKERS; i++)
		t[i] = spawn(worker, NULL);
	for (int k = 0; k < JOBS; k++)
		job[k] = submit(k);
	for (int k = 0; k < JOBS; k++)
		collect(job[k], k);
	pthread_mutex_lock(&lock);
	stop = 1;
	pthread_cond_broadcast(&work);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < WORKERS; i++)
		OK(pthread_join(t[i], NULL));
	return 0;
}
