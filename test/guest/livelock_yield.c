/*
 * livelock_yield.c: a thread yields until a flag is set that nobody sets: it runs for ever, and so does main, which waits
 * for it. With `set` main sets the flag, under the lock that also guards the look.
 *
 * heddle: verdict=violation kind=livelock message~="nobody can ever leave"
 * heddle: verdict=verified args=set
 * native: skip
 * native: args=set
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int flag;

static void *waiter(void *arg)
{
	for (;;) {
		int tried = pthread_mutex_trylock(&lock) == 0;
		int seen = tried && flag;
		if (tried)
			pthread_mutex_unlock(&lock);
		if (seen)
			return arg;
		sched_yield();
	}
}

int main(int argc, char **argv)
{
	pthread_t t = spawn(waiter, NULL);
	if (story(argc, argv, "set")) {
		pthread_mutex_lock(&lock);
		flag = 1;
		pthread_mutex_unlock(&lock);
	}
	join(t);
	return 0;
}
