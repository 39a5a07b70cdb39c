/*
 * update_both.c: read-modify-writes that acquire and release.
 *
 * heddle: verdict=verified outcomes=-1,42
 */
#include <stdatomic.h>

#include "guest.h"

static int data;
static atomic_int flag;

static void *writer(void *arg)
{
	data = 42;
	atomic_fetch_or_explicit(&flag, 1, memory_order_acq_rel);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(writer, NULL);
	int seen = -1;

	if (atomic_fetch_add_explicit(&flag, 0, memory_order_acq_rel)) {
		seen = data;
	}
	join(t);
	heddle_outcome(seen);
	return 0;
}
