/*
 * publish_by_lock.c: an object is filled without the lock, its address is published under it, and
 * readers who got the address there read the contents without it.
 *
 * heddle: verdict=verified outcomes=-1,9
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *shared;

static void *writer(void *arg)
{
	int *p = malloc(sizeof *p);

	CHECK(p);
	*p = 9;
	pthread_mutex_lock(&lock);
	shared = p;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(writer, NULL);

	pthread_mutex_lock(&lock);
	int *p = shared;
	pthread_mutex_unlock(&lock);
	int seen = p ? *p : -1;
	join(t);
	heddle_outcome(seen);
	return 0;
}
