/*
 * release_acquire.c: a flag that publishes, with release and acquire. What it publishes is handed over: no step.
 *
 * heddle: verdict=verified outcomes=-1,42 states=9
 */
#include <stdatomic.h>

#include "guest.h"

static int data;
static atomic_int flag;

static void *writer(void *arg)
{
	data = 42;
	atomic_store_explicit(&flag, 1, memory_order_release);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(writer, NULL);
	int seen = -1;

	if (atomic_load_explicit(&flag, memory_order_acquire)) {
		seen = data;
	}
	join(t);
	heddle_outcome(seen);
	return 0;
}
