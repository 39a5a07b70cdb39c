/*
 * A thread that has said "done" may not have ended yet: who asks without waiting can tell.
 *
 * heddle: args=try verdict=verified outcomes=0,1,10,11
 * heddle: args=name verdict=verified outcomes=0,1,2
 * heddle: args=processors verdict=verified outcomes=0,1
 * heddle: args=kill verdict=verified outcomes=0,1
 * native: any
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *work(void *arg)
{
	OK(pthread_mutex_lock(&lock));
	done = 1;
	OK(pthread_mutex_unlock(&lock));
	return arg;
}

static void *take_name(void *arg)
{
	OK(pthread_setname_np(pthread_self(), "worker"));
	return arg;
}

/* A thread's name and settings are there until it has ended, joined or not. */
static void look_at_settings(int name)
{
	pthread_t t = spawn(take_name, NULL);
	char text[16] = "";
	cpu_set_t set;
	int r = name ? pthread_getname_np(t, text, sizeof(text))
		     : pthread_getaffinity_np(t, sizeof(set), &set);
	CHECK(r == 0 || r == (name ? ENOENT : ESRCH));
	heddle_outcome(r ? 0 : !strcmp(text, "worker") ? 2 : 1);
	join(t);
}

int main(int argc, char **argv)
{
	if (story(argc, argv, "name") || story(argc, argv, "processors")) {
		look_at_settings(story(argc, argv, "name"));
		return 0;
	}
	pthread_t t = spawn(work, NULL);
	OK(pthread_mutex_lock(&lock));
	int seen = done;
	OK(pthread_mutex_unlock(&lock));
	if (story(argc, argv, "kill")) {
		/* Signal 0 to a thread that has ended but is not joined: 0 on glibc; the end itself is seen by a timed join. */
		struct timespec now = from_now(CLOCK_REALTIME, 0);
		int r = pthread_timedjoin_np(t, NULL, &now);
		heddle_outcome(r == 0);
		if (r)
			join(t);
		return 0;
	}
	int r = pthread_tryjoin_np(t, NULL);
	CHECK(r == 0 || r == EBUSY);
	heddle_outcome(seen * 10 + (r == 0));
	if (r)
		join(t);
	return 0;
}
