/*
 * freed_and_reused.c: a block that another thread frees is used again by its first owner, beside a relaxed counter.
 *
 * heddle: verdict=verified
 */
#include <stdatomic.h>

#include "guest.h"

static int *_Atomic box;
static atomic_int count;

static void *taker(void *arg)
{
	int *p = atomic_exchange_explicit(&box, NULL, memory_order_acquire);

	if (p)
		*p = 2;
	free(p);
	atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(taker, NULL);

	for (int i = 0; i < 2; i++) {
		int *p = malloc(sizeof(*p));

		*p = 1;
		atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
		free(atomic_exchange_explicit(&box, p, memory_order_acq_rel));
	}
	join(t);
	free(box);
	return 0;
}
