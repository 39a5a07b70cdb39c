/*
 * cancel_timedjoin.c: a thread with a request for cancellation pending joins another, with a time limit. glibc looks
 * for the request where it begins to wait: it is cancelled, or finds the other ended; it never waits until the
 * time is up.
 *
 * heddle: verdict=verified outcomes=0,1000
 * heddle: verdict=verified outcomes=0,1000 options="--por off"
 */
#include "guest.h"

static sem_t posted;
static pthread_t other;
static int result;

static void *ends(void *arg)
{
	OK(sem_post(&posted));
	return arg;
}

static void *joins(void *arg)
{
	struct timespec then = {.tv_sec = 4000000000};

	OK(pthread_cancel(pthread_self()));
	result = pthread_timedjoin_np(other, NULL, &then);
	return arg;
}

int main(void)
{
	void *value;

	other = spawn(ends, NULL);
	pthread_t t = spawn(joins, NULL);
	OK(pthread_join(t, &value));
	heddle_outcome(value == PTHREAD_CANCELED ? 1000 : result);
	return 0;
}
