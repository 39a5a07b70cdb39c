/*
 * mutex_timed.c: a timed lock may time out while another thread holds the lock, or
 * get it in time; a lock that is free never times out, not even with a time that has passed.
 *
 * heddle: verdict=verified outcomes=0,1 args=timed
 * heddle: verdict=verified outcomes=0,1 args=clock
 * heddle: verdict=verified outcomes=0 args=free
 * heddle: verdict=verified outcomes=0 args=past
 * native: args=timed
 * native: args=clock
 * native: args=free
 * native: args=past
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *holder(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(int argc, char **argv)
{
	int alone = story(argc, argv, "free") || story(argc, argv, "past");
	clockid_t clock = story(argc, argv, "clock") ? CLOCK_MONOTONIC : CLOCK_REALTIME;
	pthread_t t = 0;
	if (!alone)
		t = spawn(holder, NULL);
	struct timespec until = from_now(clock, story(argc, argv, "past") ? 0 : 1000);
	if (story(argc, argv, "past"))
		until.tv_sec -= 10;
	int rc = story(argc, argv, "clock") ? pthread_mutex_clocklock(&lock, clock, &until)
					    : pthread_mutex_timedlock(&lock, &until);
	CHECK(rc == 0 || rc == ETIMEDOUT);
	heddle_outcome(rc != 0);
	if (!rc)
		pthread_mutex_unlock(&lock);
	if (!alone)
		join(t);
	return 0;
}
