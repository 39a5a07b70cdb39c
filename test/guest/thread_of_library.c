/*
 * thread_of_library.c: a library makes a thread by dlsym(RTLD_NEXT, "pthread_create"), which passes over the runtime: it is a
 * thread like others.
 *
 * links: maker
 * heddle: verdict=verified outcomes=1,2
 */
#include "guest.h"

pthread_t make_thread(void *(*fn)(void *), void *arg);

static int last;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *store(void *number)
{
	OK(pthread_mutex_lock(&lock));
	last = (int)(long)number;
	OK(pthread_mutex_unlock(&lock));
	return number;
}

int main(void)
{
	pthread_t one = make_thread(store, (void *)1l), two = spawn(store, (void *)2l);
	CHECK(join(one) == (void *)1l);
	CHECK(join(two) == (void *)2l);
	heddle_outcome(last);
	return 0;
}
