/*
 * A wake-up that is lost is repaired by the next tick, and hides; without time-outs it shows. Sleeps end all the same.
 *
 * heddle: verdict=verified
 * heddle: verdict=violation kind=deadlock options="--timeouts never"
 * heddle: args=right verdict=verified options="--timeouts never"
 * native: skip
 */
#include <poll.h>

#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;
static int right;

static void *waiter(void *arg)
{
	OK(pthread_mutex_lock(&lock));
	while (!ready) {
		struct timespec tick = {.tv_sec = 2000000000}; /* a tick, without a look at the clock */
		int r = pthread_cond_timedwait(&cond, &lock, &tick);
		CHECK(!r || r == ETIMEDOUT);
	}
	OK(pthread_mutex_unlock(&lock));
	return arg;
}

int main(int argc, char **argv)
{
	right = story(argc, argv, "right");
	pthread_t t = spawn(waiter, NULL);
	usleep(1000);
	poll(NULL, 0, 1);
	OK(pthread_mutex_lock(&lock));
	ready = 1;
	OK(pthread_mutex_unlock(&lock));
	if (right) /* else nobody is told */
		OK(pthread_cond_signal(&cond));
	join(t);
	return 0;
}
