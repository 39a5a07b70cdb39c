/*
 * thread_main_leaves.c: main ends with pthread_exit, the others go on; the process
 * ends, with status 0, when the last of them does.
 *
 * heddle: verdict=verified outcomes=2 options="--check-exit"
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int finished;

static void *body(void *arg)
{
	pthread_mutex_lock(&lock);
	if (++finished == 2)
		heddle_outcome(finished);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *joins_main(void *main_thread)
{
	OK(pthread_join(*(pthread_t *)main_thread, NULL));
	return body(NULL);
}

int main(void)
{
	static pthread_t self;
	self = pthread_self();
	pthread_detach(spawn(body, NULL));
	spawn(joins_main, &self);
	pthread_exit(NULL);
}
