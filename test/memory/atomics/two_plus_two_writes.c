/*
 * two_plus_two_writes.c: two threads write two variables in opposite order; in the end not both hold the
 * earlier writes.
 *
 * heddle: verdict=verified outcomes=12,21,22
 */
#include <stdatomic.h>

#include "guest.h"

static atomic_int x, y;

static void *first(void *arg)
{
	atomic_store(&x, 1);
	atomic_store(&y, 2);
	return arg;
}

static void *second(void *arg)
{
	atomic_store(&y, 1);
	atomic_store(&x, 2);
	return arg;
}

int main(void)
{
	pthread_t a = spawn(first, NULL), b = spawn(second, NULL);

	join(a);
	join(b);
	heddle_outcome(atomic_load(&x) * 10 + atomic_load(&y));
	return 0;
}
