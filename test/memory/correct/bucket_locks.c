/*
 * bucket_locks.c: a hash table with a lock per bucket; a resize-free one, so that the array itself is
 * only read.
 *
 * heddle: verdict=verified outcomes=22
 */
#include "guest.h"

struct entry {
	struct entry *next;
	int key, count;
};

static struct {
	pthread_mutex_t lock;
	struct entry *first;
} buckets[2] = {{.lock = PTHREAD_MUTEX_INITIALIZER}, {.lock = PTHREAD_MUTEX_INITIALIZER}};

static void count(int key)
{
	pthread_mutex_lock(&buckets[key % 2].lock);
	struct entry *e = buckets[key % 2].first;
	while (e && e->key != key)
		e = e->next;
	if (!e) {
		e = calloc(1, sizeof *e);
		CHECK(e);
		e->key = key;
		e->next = buckets[key % 2].first;
		buckets[key % 2].first = e;
	}
	e->count++;
	pthread_mutex_unlock(&buckets[key % 2].lock);
}

static void *up(void *arg)
{
	count(0);
	count(1);
	return arg;
}

static void *down(void *arg)
{
	count(1);
	count(0);
	return arg;
}

int main(void)
{
	pthread_t a = spawn(up, NULL), b = spawn(down, NULL);

	join(a);
	join(b);
	heddle_outcome(buckets[0].first->count * 10 + buckets[1].first->count);
	return 0;
}
