/*
 * double_checked_right.c: double-checked locking, the pointer stored with release and loaded with acquire.
 *
 * heddle: verdict=verified
 */
#include <stdatomic.h>

#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;
static int *_Atomic instance;

static int get(void)
{
	int *p = atomic_load_explicit(&instance, memory_order_acquire);

	if (p)
		return *p;
	pthread_mutex_lock(&lock);
	p = atomic_load_explicit(&instance, memory_order_relaxed);
	if (!p) {
		value = 42;
		p = &value;
		atomic_store_explicit(&instance, p, memory_order_release);
	}
	pthread_mutex_unlock(&lock);
	return *p;
}

static void *body(void *arg)
{
	heddle_assert(get() == 42);
	return arg;
}

int main(void)
{
	pthread_t a = spawn(body, NULL), b = spawn(body, NULL);

	join(a);
	join(b);
	return 0;
}
