/*
 * store_buffering.c: each writes its own variable and reads the other's. Real machines may show 0 and 0 to
 * relaxed or plain accesses; sequential consistency never does.
 *
 * heddle: verdict=verified outcomes=1,10,11 text~="(?i)sequential consistency"
 */
#include <stdatomic.h>

#include "guest.h"

static atomic_int x, y;
static int seen[2];

static void *first(void *arg)
{
	atomic_store(&x, 1);
	seen[0] = atomic_load(&y);
	return arg;
}

static void *second(void *arg)
{
	atomic_store(&y, 1);
	seen[1] = atomic_load(&x);
	return arg;
}

int main(void)
{
	pthread_t a = spawn(first, NULL), b = spawn(second, NULL);

	join(a);
	join(b);
	heddle_outcome(seen[0] * 10 + seen[1]);
	return 0;
}
