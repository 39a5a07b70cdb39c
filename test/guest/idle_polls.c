/*
 * A thread waits by looking at a flag under a lock, and sleeps in between. Where nobody is left to set it, that is a
 * livelock, whether other executions end or none does.
 * heddle: verdict=violation kind=livelock args=never message~="sleeps"
 * heddle: verdict=violation kind=livelock args=never options="--strict-idle"
 * heddle: verdict=violation kind=livelock args=joined
 * heddle: verdict=violation kind=livelock args=yields
 * heddle: verdict=violation kind=livelock args=reader
 * heddle: verdict=violation kind=livelock args=lost
 * heddle: verdict=violation kind=livelock args=pair
 * heddle: verdict=violation kind=livelock args=pair options="-j 2"
 * heddle: verdict=verified args=set
 *
 * Not so, where a signal from outside could set it, where the loop says something or goes on with its work, where
 * others work besides, and beside main that sleeps for ever.
 * heddle: verdict=verified args=daemon
 * heddle: verdict=violation kind=livelock args=daemon options="--strict-idle"
 * heddle: verdict=verified args=prints
 * heddle: verdict=verified args=toggles
 * heddle: verdict=verified args=philosophers
 * heddle: verdict=verified args=philosophers options="--strict-idle"
 * heddle: verdict=verified args=janitor
 * native: skip
 */
#include "guest.h"

#include <sched.h>
#include <signal.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static int flag, count;
static bool yields, prints, toggles;

static bool is_set(void)
{
	OK(pthread_mutex_lock(&lock));
	bool set = flag;
	OK(pthread_mutex_unlock(&lock));
	return set;
}

static void *polls(void *arg)
{
	while (!is_set()) {
		if (prints)
			puts("not yet");
		yields ? (void)sched_yield() : (void)usleep(1000);
	}
	return arg;
}

static void *polls_as_reader(void *arg)
{
	for (bool set = false; !set; usleep(1000)) {
		OK(pthread_rwlock_rdlock(&rwlock));
		set = flag;
		OK(pthread_rwlock_unlock(&rwlock));
	}
	return arg;
}

static void *sets(void *arg)
{
	OK(pthread_mutex_lock(&lock));
	flag = 1;
	OK(pthread_mutex_unlock(&lock));
	return arg;
}

/* Of two at a time, one may be lost. */
static void *adds(void *arg)
{
	OK(pthread_mutex_lock(&lock));
	int n = count;
	OK(pthread_mutex_unlock(&lock));
	OK(pthread_mutex_lock(&lock));
	count = n + 1;
	flag = count == 2;
	OK(pthread_mutex_unlock(&lock));
	return arg;
}

static void *works(void *arg)
{
	for (;;) {
		OK(pthread_mutex_lock(&lock));
		if (toggles)
			flag = !flag;
		OK(pthread_mutex_lock(&other));
		OK(pthread_mutex_unlock(&other));
		OK(pthread_mutex_unlock(&lock));
		sleep(1);
	}
	return arg;
}

static void handler(int sig)
{
	(void)sig;
	flag = 1;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "never";
	yields = !strcmp(what, "yields");
	prints = !strcmp(what, "prints");
	toggles = !strcmp(what, "toggles");
	if (!strcmp(what, "daemon"))
		signal(SIGTERM, handler);
	if (!strcmp(what, "joined")) {
		join(spawn(polls, NULL));
	} else if (!strcmp(what, "reader")) {
		polls_as_reader(NULL);
	} else if (!strcmp(what, "lost") || !strcmp(what, "pair")) {
		spawn(adds, NULL);
		spawn(adds, NULL);
		pthread_t second = spawn(!strcmp(what, "pair") ? polls : sets, NULL);
		if (!strcmp(what, "lost"))
			join(second);
		polls(NULL);
	} else if (!strcmp(what, "set")) {
		spawn(sets, NULL);
		polls(NULL);
	} else if (!strcmp(what, "toggles")) {
		works(NULL);
	} else if (!strcmp(what, "philosophers")) {
		spawn(works, NULL);
		works(NULL);
	} else if (!strcmp(what, "janitor")) {
		spawn(polls, NULL);
		for (;;)
			sleep(1);
	} else {
		polls(NULL);
	}
	return 0;
}
