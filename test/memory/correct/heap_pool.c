/*
 * heap_pool.c: blocks wander between threads through a pool under a mutex and are used without it.
 *
 * heddle: verdict=verified outcomes=0
 */
#include "guest.h"

struct block {
	struct block *next;
	int mark;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *pool;

static struct block *get(void)
{
	pthread_mutex_lock(&lock);
	struct block *b = pool;
	if (b)
		pool = b->next;
	pthread_mutex_unlock(&lock);
	return b ? b : calloc(1, sizeof *b);
}

static void put(struct block *b)
{
	pthread_mutex_lock(&lock);
	b->next = pool;
	pool = b;
	pthread_mutex_unlock(&lock);
}

static void *body(void *arg)
{
	struct block *b = get();

	CHECK(b && b->mark == 0);
	b->mark = (int)(long)arg;
	CHECK(b->mark == (int)(long)arg);
	b->mark = 0;
	put(b);
	return NULL;
}

int main(void)
{
	put(calloc(1, sizeof(struct block)));
	pthread_t a = spawn(body, (void *)1), b = spawn(body, (void *)2);
	join(a);
	join(b);
	int marks = 0;
	while (pool) {
		struct block *first = get();
		marks += first->mark;
		free(first);
	}
	heddle_outcome(marks);
	return 0;
}
