/*
 * write_under_read_lock.c: a counter is counted up under the read lock, which several may hold.
 *
 * heddle: verdict=violation kind=race message~="hits"
 * heddle: verdict=verified options="--races ignore" outcomes=1,2
 */
#include "guest.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int hits;

static void *body(void *arg)
{
	pthread_rwlock_rdlock(&lock);
	hits++;
	pthread_rwlock_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t a = spawn(body, NULL), b = spawn(body, NULL);

	join(a);
	join(b);
	heddle_outcome(hits);
	return 0;
}
