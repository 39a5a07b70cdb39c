/*
 * thread_hundred.c: a hundred threads (or as many as we are told) one after the other reuse what the earlier
 * ones left (stack, TLS, slot), all of it clean: __thread variables start at their
 * initial value, a malloc'ed block is at the same address each time.
 *
 * heddle: verdict=verified outcomes=100 states<=1000
 * heddle: verdict=verified args=100000 outcomes=100000 states<=400000
 */
#include "guest.h"

static __thread int fresh = 5;
static long sum;
static void *place;

static void *body(void *arg)
{
	CHECK(fresh++ == 5);
	void *p = malloc(100);
	CHECK(!heddle_running() || place == NULL || place == p);
	place = p;
	free(p);
	sum++;
	return arg;
}

int main(int argc, char **argv)
{
	long threads = argc > 1 ? atol(argv[1]) : 100;

	for (long i = 0; i < threads; i++)
		CHECK(join(spawn(body, (void *)i)) == (void *)i);
	heddle_outcome(sum);
	return 0;
}
