/*
 * livelock_spin_deadlock.c: each raises its flag and spins until the other's is down: a deadlock in which
 * everybody is busy.
 *
 * heddle: verdict=violation kind=livelock
 * native: skip
 */
#include <stdatomic.h>

#include "guest.h"

static atomic_int wants[2];

static void *body(void *arg)
{
	int me = (int)(long)arg;

	atomic_store(&wants[me], 1);
	while (atomic_load(&wants[1 - me]))
		;
	atomic_store(&wants[me], 0);
	return NULL;
}

int main(void)
{
	pthread_t a = spawn(body, (void *)0), b = spawn(body, (void *)1);

	join(a);
	join(b);
	return 0;
}
