/*
 * barrier_phases.c: in each phase everybody writes the own slot, in the next everybody
 * reads the neighbour's; barriers lie between. No lock anywhere.
 *
 * heddle: verdict=verified outcomes=33
 */
#include "guest.h"

static pthread_barrier_t barrier;
static int slots[2] = {1, 2};

static void *body(void *arg)
{
	long me = (long)arg;

	pthread_barrier_wait(&barrier);
	int neighbour = slots[1 - me];
	pthread_barrier_wait(&barrier);
	slots[me] += neighbour;
	pthread_barrier_wait(&barrier);
	CHECK(slots[1 - me] == 3);
	return NULL;
}

int main(void)
{
	OK(pthread_barrier_init(&barrier, NULL, 2));
	pthread_t t = spawn(body, (void *)1);
	body((void *)0);
	join(t);
	heddle_outcome(slots[0] * 10 + slots[1]);
	return 0;
}
