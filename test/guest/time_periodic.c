/*
 * time_periodic.c: a timer thread ticks every second until it is told to stop. It may be told
 * late, so its clock runs as far as one looks: the search has no end of its own, and
 * heddle says why and how to give it one.
 *
 * heddle: verdict=bounded options="--max-states 3000" text~="clock.*--time-horizon"
 * heddle: verdict=bounded options="--time-horizon 5s" text~="beyond the time horizon" states<=200
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int stop;

static void *timer(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!stop) {
		struct timespec until = from_now(CLOCK_REALTIME, 1000);
		pthread_cond_timedwait(&cond, &lock, &until);
	}
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(timer, NULL);
	pthread_mutex_lock(&lock);
	stop = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&lock);
	join(t);
	return 0;
}
