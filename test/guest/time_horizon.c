/*
 * Virtual time has an end only where the user wants one: who stands before it is not stuck, it also bounds loops
 * that never look at the clock, and a bug that lies near is found although time could go on for ever.
 *
 * heddle: args=beyond verdict=bounded options="--time-horizon 10s" text~="beyond the time horizon"
 * heddle: args=beyond verdict=verified
 * heddle: args=within verdict=verified options="--time-horizon 10s"
 * heddle: args=counts verdict=bounded options="--time-horizon 10s" states<=100
 * heddle: args=heartbeat verdict=verified states<=20
 * heddle: args=near verdict=violation kind=assert
 * heddle: args=far verdict=violation kind=assert
 * heddle: args=both verdict=violation kind=assert options="--keep-going" outcomes=7
 * heddle: args=stuck verdict=violation kind=deadlock options="--time-horizon 10s"
 * native: skip
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static volatile long rounds;
static int said;

static void *sleeps_long(void *arg)
{
	sleep(20);
	return arg;
}

static void *beats(void *arg)
{
	for (;;) {
		sleep(1);
		if (arg)
			rounds++;
	}
	return arg;
}

/* A tick that looks at the clock: the longest way for a depth-first search. */
static void *ticks(void *arg)
{
	OK(pthread_mutex_lock(&lock));
	for (;;) {
		struct timespec until = from_now(CLOCK_REALTIME, 1000);
		pthread_cond_timedwait(&never, &lock, &until);
		if (arg)
			CHECK(until.tv_sec < 1767225600L + 100);
	}
	return arg;
}

static void *speaks(void *arg)
{
	OK(pthread_mutex_lock(&lock));
	said = 1;
	OK(pthread_mutex_unlock(&lock));
	return arg;
}

int main(int argc, char **argv)
{
	if (story(argc, argv, "beyond"))
		join(spawn(sleeps_long, NULL));
	if (story(argc, argv, "within"))
		sleep(5);
	if (story(argc, argv, "counts"))
		join(spawn(beats, &lock));
	if (story(argc, argv, "heartbeat")) {
		spawn(beats, NULL);
		join(spawn(speaks, NULL));
	}
	if (story(argc, argv, "near")) {
		spawn(ticks, NULL);
		spawn(speaks, NULL);
		OK(pthread_mutex_lock(&lock));
		CHECK(said);
		OK(pthread_mutex_unlock(&lock));
	}
	if (story(argc, argv, "far"))
		join(spawn(ticks, &lock));
	if (story(argc, argv, "both")) { /* --keep-going: the bug near by is not the end of it */
		CHECK(heddle_choose(2));
		sleep(600);
		heddle_outcome(7);
	}
	if (story(argc, argv, "stuck")) {
		sleep(5);
		OK(pthread_mutex_lock(&lock));
		pthread_mutex_lock(&lock);
	}
	return 0;
}
