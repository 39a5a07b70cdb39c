/*
 * lock_change.c: a variable is protected by one lock, then, behind a barrier, by another.
 *
 * heddle: verdict=verified outcomes=4
 */
#include "guest.h"

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_barrier_t barrier;
static int counter;

static void *body(void *arg)
{
	for (int phase = 0; phase < 2; phase++) {
		pthread_mutex_lock(&locks[phase]);
		counter++;
		pthread_mutex_unlock(&locks[phase]);
		pthread_barrier_wait(&barrier);
	}
	return arg;
}

int main(void)
{
	OK(pthread_barrier_init(&barrier, NULL, 2));
	pthread_t t = spawn(body, NULL);
	body(NULL);
	join(t);
	heddle_outcome(counter);
	return 0;
}
