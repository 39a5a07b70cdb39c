/*
 * missing_barrier.c: one barrier where two are needed: the neighbour's slot is read while it is written anew.
 *
 * heddle: verdict=violation kind=race message~="slots"
 * heddle: verdict=verified options="--races ignore" outcomes=33,35,43
 */
#include "guest.h"

static pthread_barrier_t barrier;
static int slots[2] = {1, 2};

static void *body(void *arg)
{
	long me = (long)arg;

	pthread_barrier_wait(&barrier);
	int neighbour = slots[1 - me];
	__asm__ volatile("" ::: "memory");
	slots[me] += neighbour;
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
