/*
 * cond_timed.c: a timed wait ends by the signal (1) or by its time-out (0), against
 * either clock, and after a time-out the mutex is held again.
 *
 * heddle: verdict=verified outcomes=0,1 args=timedwait
 * heddle: verdict=verified outcomes=0,1 args=clockwait
 * heddle: verdict=verified outcomes=0,1 args=monotonic-attr
 * heddle: verdict=verified outcomes=0 args=alone
 * native: args=timedwait
 * native: args=clockwait
 * native: args=monotonic-attr
 * native: args=alone
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t cond;
static int ready;

static void *setter(void *arg)
{
	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void make_cond(clockid_t clock)
{
	pthread_condattr_t attr;
	clockid_t got;
	OK(pthread_condattr_init(&attr));
	OK(pthread_condattr_setclock(&attr, clock));
	OK(pthread_condattr_getclock(&attr, &got));
	CHECK(got == clock);
	OK(pthread_cond_init(&cond, &attr));
	OK(pthread_condattr_destroy(&attr));
}

int main(int argc, char **argv)
{
	int by_clock = story(argc, argv, "clockwait"), alone = story(argc, argv, "alone");
	clockid_t clock = by_clock || story(argc, argv, "monotonic-attr") ? CLOCK_MONOTONIC : CLOCK_REALTIME;
	make_cond(by_clock ? CLOCK_REALTIME : clock);
	pthread_t t = 0;
	if (!alone)
		t = spawn(setter, NULL);
	OK(pthread_mutex_lock(&lock));
	struct timespec until = from_now(clock, 100);
	int rc = 0;
	while (!ready && rc == 0)
		rc = by_clock ? pthread_cond_clockwait(&cond, &lock, clock, &until)
			      : pthread_cond_timedwait(&cond, &lock, &until);
	CHECK(rc == 0 || rc == ETIMEDOUT);
	heddle_outcome(rc == 0);
	OK(pthread_mutex_unlock(&lock));
	if (!alone)
		join(t);
	OK(pthread_cond_destroy(&cond));
	return 0;
}
