/*
 * barrier.c: nobody passes before all have come; in each round exactly one thread is
 * the serial one, and it may be either; the barrier serves several rounds.
 *
 * heddle: verdict=verified outcomes=11,12,21,22
 */
#include "guest.h"

static pthread_barrier_t barrier;
static int arrived[2], serial[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *body(void *arg)
{
	for (int round = 0; round < 2; round++) {
		pthread_mutex_lock(&lock);
		arrived[round]++;
		pthread_mutex_unlock(&lock);
		int rc = pthread_barrier_wait(&barrier);
		CHECK(rc == 0 || rc == PTHREAD_BARRIER_SERIAL_THREAD);
		pthread_mutex_lock(&lock);
		CHECK(arrived[round] == 2);
		if (rc) {
			CHECK(!serial[round]);
			serial[round] = (int)(long)arg;
		}
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	CHECK(pthread_barrier_init(&barrier, NULL, 0) == EINVAL);
	OK(pthread_barrier_init(&barrier, NULL, 2));
	pthread_t t = spawn(body, (void *)1);
	body((void *)2);
	join(t);
	OK(pthread_barrier_destroy(&barrier));
	OK(pthread_barrier_init(&barrier, NULL, 1));
	CHECK(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
	OK(pthread_barrier_destroy(&barrier));
	heddle_outcome(serial[0] * 10 + serial[1]);
	return 0;
}
