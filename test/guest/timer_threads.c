/*
 * timer_threads.c: timers that start a thread when they expire (SIGEV_THREAD).
 *
 * heddle: args=once verdict=verified outcomes=7
 * heddle: args=race verdict=verified outcomes=1,2
 * heddle: args=deleted verdict=verified outcomes=0,1
 * heddle: args=periodic verdict=verified
 * heddle: args=overlap verdict=violation kind=assert
 * heddle: args=never verdict=violation kind=deadlock
 * native: args=once
 * native: args=periodic
 */
#include <sched.h>
#include <signal.h>

#include "guest.h"

static sem_t came;
static volatile int n, inside;

static void tells(union sigval v)
{
	n = v.sival_int;
	OK(sem_post(&came));
}

/* A semaphore that counts all expiries would have no end of states. */
static void tells_twice(union sigval v)
{
	(void)v;
	if (n >= 2)
		return;
	n++;
	OK(sem_post(&came));
}

static void counts(union sigval v)
{
	(void)v;
	int before = n;
	sched_yield();
	n = before + 1;
	OK(sem_post(&came));
}

static void alone(union sigval v)
{
	CHECK(!inside); /* nobody promises that the last one is done */
	inside = 1;
	sched_yield();
	inside = 0;
	tells_twice(v);
}

static timer_t start(void (*f)(union sigval), int value, long first, long period)
{
	struct sigevent e = {
		.sigev_notify = SIGEV_THREAD, .sigev_notify_function = f, .sigev_value.sival_int = value};
	struct itimerspec when = {.it_value.tv_nsec = first, .it_interval.tv_nsec = period};
	timer_t t;
	OK(timer_create(CLOCK_MONOTONIC, &e, &t));
	OK(timer_settime(t, 0, &when, NULL));
	return t;
}

int main(int argc, char **argv)
{
	OK(sem_init(&came, 0, 0));
	if (story(argc, argv, "once")) {
		timer_t t = start(tells, 7, 1000000, 0);
		OK(sem_wait(&came));
		heddle_outcome(n);
		OK(timer_delete(t));
	} else if (story(argc, argv, "race")) {
		start(counts, 0, 1000000, 0);
		counts((union sigval){0});
		OK(sem_wait(&came));
		OK(sem_wait(&came));
		heddle_outcome(n);
	} else if (story(argc, argv, "deleted")) { /* before it expires, or too late */
		timer_t t = start(tells, 1, 1000000, 0);
		OK(timer_delete(t));
		heddle_outcome(!sem_trywait(&came));
	} else if (story(argc, argv, "periodic")) {
		timer_t t = start(tells_twice, 1, 1000000, 1000000);
		OK(sem_wait(&came));
		OK(sem_wait(&came));
		OK(timer_delete(t));
	} else if (story(argc, argv, "overlap")) {
		timer_t t = start(alone, 1, 1000000, 1000000);
		OK(sem_wait(&came));
		OK(sem_wait(&came));
		OK(timer_delete(t));
	} else {
		start(tells, 1, 0, 0); /* not armed */
		OK(sem_wait(&came));
	}
	return 0;
}
