/*
 * own_slots.c: every thread has its slot of an array; neighbours share a cache line and no more.
 * Nothing is shared, so there is nothing to interleave.
 *
 * heddle: verdict=verified outcomes=6 states<=40
 */
#include "guest.h"

static int slots[3];

static void *body(void *arg)
{
	int *slot = arg;

	for (int i = 0; i < 20; i++)
		*(volatile int *)slot = i;
	*slot = (int)(slot - slots) + 1;
	return NULL;
}

int main(void)
{
	pthread_t a = spawn(body, &slots[0]), b = spawn(body, &slots[1]), c = spawn(body, &slots[2]);

	join(a);
	join(b);
	join(c);
	heddle_outcome(slots[0] + slots[1] + slots[2]);
	return 0;
}
