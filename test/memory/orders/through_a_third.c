/*
 * through_a_third.c: the flag is relaxed, but a lock taken on both sides orders the data.
 *
 * heddle: verdict=verified
 */
#include <stdatomic.h>

#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int data;
static atomic_int flag;

static void *writer(void *arg)
{
	data = 42;
	pthread_mutex_lock(&lock);
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(writer, NULL);
	int set;

	pthread_mutex_lock(&lock);
	set = atomic_load_explicit(&flag, memory_order_relaxed);
	pthread_mutex_unlock(&lock);
	if (set)
		heddle_assert(data == 42);
	join(t);
	return 0;
}
