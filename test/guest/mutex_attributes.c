/*
 * Mutexes with attributes that make no difference to one process: shared between processes, with priority
 * inheritance.
 *
 * heddle: args=shared verdict=verified
 * heddle: args=inherit verdict=verified
 * native: args=shared
 * native: args=inherit
 */
#include "guest.h"

static pthread_mutex_t lock;
static int count;

static void *body(void *arg)
{
	OK(pthread_mutex_lock(&lock));
	int seen = count;
	sched_yield();
	CHECK(count == seen);
	count++;
	OK(pthread_mutex_unlock(&lock));
	return arg;
}

int main(int argc, char **argv)
{
	pthread_mutexattr_t attr;
	OK(pthread_mutexattr_init(&attr));
	if (story(argc, argv, "shared"))
		OK(pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED));
	else
		OK(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT));
	OK(pthread_mutex_init(&lock, &attr));
	pthread_t t = spawn(body, NULL);
	body(NULL);
	join(t);
	CHECK(count == 2);
	return 0;
}
