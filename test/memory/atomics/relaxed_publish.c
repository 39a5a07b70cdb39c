/*
 * relaxed_publish.c: what sequential consistency does not show: the flag is relaxed, so C allows the reader to
 * see it before the data. That is a race; values stay sequentially consistent, as the verdict says.
 *
 * heddle: verdict=violation kind=race message~="don't order the two"
 * heddle: options="--races ignore" verdict=verified outcomes=-1,42 text~="(?i)sequential consistency"
 */
#include <stdatomic.h>

#include "guest.h"

static int data;
static atomic_int flag;

static void *writer(void *arg)
{
	data = 42;
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(writer, NULL);
	int seen = -1;

	if (atomic_load_explicit(&flag, memory_order_relaxed))
		seen = data;
	join(t);
	heddle_outcome(seen);
	return 0;
}
