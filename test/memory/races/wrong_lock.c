/*
 * wrong_lock.c: both take a lock, but not the same.
 *
 * heddle: verdict=violation kind=race message~="total"
 * heddle: verdict=verified options="--races ignore" outcomes=1,2,3
 */
#include "guest.h"

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int total;

static void *body(void *arg)
{
	long me = (long)arg;

	pthread_mutex_lock(&locks[me]);
	total += (int)me + 1;
	pthread_mutex_unlock(&locks[me]);
	return NULL;
}

int main(void)
{
	pthread_t a = spawn(body, (void *)0), b = spawn(body, (void *)1);

	join(a);
	join(b);
	heddle_outcome(total);
	return 0;
}
