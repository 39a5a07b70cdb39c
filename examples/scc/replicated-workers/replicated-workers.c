/*
 * Replicated workers: a pool of tasks and equal workers that take them, and put new
 * ones back. A task of level n > 0 is split into two of level n-1. The work is over when
 * the pool is empty and nobody is busy who could still fill it.
 *
 * The fault: a worker reports that it is idle before it has put its new tasks
 * into the pool; at a bad moment the others believe the work to be over.
 *
 *     replicated-workers [WORKERS [ITEMS [LEVEL]]]
 */
#include "../common.h"

#define MAX_LEVEL 8
#define NONE (-1)

static int workers, items, level;
static int total; /* tasks there will ever be */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int pool[MAX_LEVEL + 1]; /* tasks of each level */
static int pooled;              /* their sum */
static int busy, completed, over;

int inv_pool(void)
{
	int sum = 0;

	for (int n = 0; n <= level; n++)
		sum += pool[n];
	return sum == pooled;
}

int inv_busy(void)
{
	return busy >= 0 && busy <= workers;
}

int inv_work(void)
{
	return pooled >= 0 && pooled + busy + completed <= total;
}

int inv_over(void)
{
	return !over || (pooled == 0 && busy == 0 && completed == total);
}

static void leave(void)
{
	INVARIANT(inv_pool());
	INVARIANT(inv_busy());
	INVARIANT(inv_work());
	INVARIANT(inv_over());
	pthread_mutex_unlock(&lock);
}

static int highest_level(void)
{
	int n = level;

	while (n > 0 && pool[n] == 0)
		n--;
	return n;
}

/* A task's level, or NONE when the work is over. */
static ON_ITS_OWN int take(void)
{
	int n = NONE;

	pthread_mutex_lock(&lock);
	while (pooled == 0 && busy > 0)
		pthread_cond_wait(&changed, &lock);
	if (pooled > 0) {
		n = highest_level();
		assert(pool[n] > 0);
		pool[n]--;
		pooled--;
		busy++;
	} else if (!over) {
		over = 1;
		pthread_cond_broadcast(&changed);
	}
	leave();
	return n;
}

static void put_tasks(int n)
{
	assert(!over);
	pool[n] += 2;
	pooled += 2;
	pthread_cond_broadcast(&changed);
}

static ON_ITS_OWN void finish(int n)
{
	pthread_mutex_lock(&lock);
	assert(busy > 0);
	if (!FAULT && n > 0)
		put_tasks(n - 1);
	busy--;
	completed++;
	if (busy == 0)
		pthread_cond_broadcast(&changed);
	leave();
	if (FAULT && n > 0) {
		pthread_mutex_lock(&lock);
		put_tasks(n - 1);
		leave();
	}
}

/* False when the work is over. */
static ON_ITS_OWN int do_task(void)
{
	int n = take();

	if (n != NONE)
		finish(n);
	return n != NONE;
}

static void *worker(void *arg)
{
	(void)arg;
	while (do_task())
		;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MAX_THREADS];

	workers = scc_arg(argc, argv, 1, 5, 1, MAX_THREADS);
	items = scc_arg(argc, argv, 2, 2, 1, 100);
	level = scc_arg(argc, argv, 3, 3, 0, MAX_LEVEL);
	total = items * ((2 << level) - 1);
	pool[level] = pooled = items;
	scc_start_all(threads, workers, worker);
	scc_join_all(threads, workers);
	assert(over);
	assert(completed == total);
	printf("%d workers did %d tasks\n", workers, total);
	return 0;
}
