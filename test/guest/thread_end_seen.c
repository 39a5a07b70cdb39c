/*
 * A thread that has said "done" may not have ended yet: who asks without waiting can tell.
 *
 * heddle: args=try verdict=verified outcomes=0,1,10,11
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

int main(int argc, char **argv)
{
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
