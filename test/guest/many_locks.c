/*
 * many_locks.c: a table with 200,000 bucket locks, all of them used by two threads, one after the other. What heddle
 * remembers about locks grows with them.
 *
 * heddle: verdict=verified states=400006
 */
#include "guest.h"

#define BUCKETS 200000

static pthread_mutex_t lock[BUCKETS];
static int count;

static void *use_all(void *arg)
{
	for (int i = 0; i < BUCKETS; i++) {
		pthread_mutex_lock(&lock[i]);
		count++;
		pthread_mutex_unlock(&lock[i]);
	}
	return arg;
}

int main(void)
{
	for (int i = 0; i < 2; i++) {
		pthread_t t;
		OK(pthread_create(&t, NULL, use_all, NULL));
		OK(pthread_join(t, NULL));
	}
	CHECK(count == 2 * BUCKETS);
	return 0;
}
