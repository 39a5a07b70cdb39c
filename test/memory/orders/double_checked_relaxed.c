/*
 * double_checked_relaxed.c: double-checked locking, the pointer relaxed.
 *
 * heddle: verdict=violation kind=race message~="don't order"
 */
#include <stdatomic.h>

#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;
static int *_Atomic instance;

static int get(void)
{
	int *p = atomic_load_explicit(&instance, memory_order_relaxed);

	if (p)
		return *p;
	pthread_mutex_lock(&lock);
	p = atomic_load_explicit(&instance, memory_order_relaxed);
	if (!p) {
		value = 42;
		p = &value;
		atomic_store_explicit(&instance, p, memory_order_relaxed);
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
