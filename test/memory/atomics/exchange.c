/*
 * exchange.c: three threads swap their number into a cell; each gets its predecessor's: six orders.
 *
 * heddle: verdict=verified outcomes=123,132,213,231,312,321
 */
#include <stdatomic.h>

#include "guest.h"

static atomic_int cell;
static int before[4];

static void *body(void *arg)
{
	long me = (long)arg;

	before[me] = atomic_exchange(&cell, (int)me);
	return NULL;
}

int main(void)
{
	pthread_t a = spawn(body, (void *)1), b = spawn(body, (void *)2), c = spawn(body, (void *)3);

	join(a);
	join(b);
	join(c);
	/* From the last one back to the first. */
	long order = 0;
	for (int i = cell; i; i = before[i])
		order = order * 10 + i;
	heddle_outcome(order);
	return 0;
}
