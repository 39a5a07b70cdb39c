/*
 * neighbours_right.c: bytes side by side: those of others are no concern of mine.
 *
 * heddle: verdict=verified
 */
#include <stdatomic.h>

#include "guest.h"

static char data[4];
static atomic_int flag, count;

static void *writer(void *arg)
{
	data[0] = 1;
	atomic_store_explicit(&flag, 1, memory_order_release);
	data[1] = 1;
	atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(writer, NULL);

	atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
	if (atomic_load_explicit(&flag, memory_order_acquire))
		heddle_assert(data[0] == 1);
	data[2] = 1;
	if (atomic_load_explicit(&count, memory_order_relaxed) == 2)
		data[3] = 1;
	join(t);
	return 0;
}
