/*
 * once.c: pthread_once runs its initialiser exactly once; the others wait for its
 * end, even if it blocks on a mutex half-way.
 *
 * heddle: verdict=verified outcomes=1
 */
#include "guest.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int started, ready;

static void init(void)
{
	started++;
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	ready = 1;
}

static void *body(void *arg)
{
	OK(pthread_once(&once, init));
	CHECK(ready);
	return arg;
}

int main(void)
{
	pthread_t a = spawn(body, NULL), b = spawn(body, NULL);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	OK(pthread_once(&once, init));
	CHECK(ready);
	join(a);
	join(b);
	heddle_outcome(started);
	return 0;
}
