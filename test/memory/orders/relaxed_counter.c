/*
 * relaxed_counter.c: a relaxed counter that nobody reads anything into, read after the join.
 *
 * heddle: verdict=verified outcomes=2
 */
#include <stdatomic.h>

#include "guest.h"

static atomic_int count;
static int result[2];

static void *body(void *arg)
{
	result[*(int *)arg] = 1;
	atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	int number[2] = {0, 1};
	pthread_t a = spawn(body, &number[0]), b = spawn(body, &number[1]);

	join(a);
	join(b);
	heddle_outcome(atomic_load_explicit(&count, memory_order_relaxed) * result[0] * result[1]);
	return 0;
}
