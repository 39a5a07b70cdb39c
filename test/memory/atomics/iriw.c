/*
 * iriw.c: independent reads of independent writes: the readers don't disagree about the order of the two
 * writes. Of the 16 results only "1 0 1 0" is impossible.
 *
 * heddle: verdict=verified outcomes=0,1,10,11,100,101,110,111,1000,1001,1011,1100,1101,1110,1111
 */
#include <stdatomic.h>

#include "guest.h"

static atomic_int x, y;
static int seen[4];

static void *write_x(void *arg)
{
	atomic_store(&x, 1);
	return arg;
}

static void *write_y(void *arg)
{
	atomic_store(&y, 1);
	return arg;
}

static void *read_xy(void *arg)
{
	seen[0] = atomic_load(&x);
	seen[1] = atomic_load(&y);
	return arg;
}

static void *read_yx(void *arg)
{
	seen[2] = atomic_load(&y);
	seen[3] = atomic_load(&x);
	return arg;
}

int main(void)
{
	pthread_t threads[] = {spawn(write_x, NULL), spawn(write_y, NULL), spawn(read_xy, NULL),
			       spawn(read_yx, NULL)};

	for (int i = 0; i < 4; i++)
		join(threads[i]);
	heddle_outcome(seen[0] * 1000 + seen[1] * 100 + seen[2] * 10 + seen[3]);
	return 0;
}
