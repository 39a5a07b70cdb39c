/*
 * livelock_polite.c: one spoon and two hungry people; whoever has the spoon hands it over as long as the
 * other one is hungry, and nobody ever eats. There is no state from which anybody gets on.
 *
 * heddle: verdict=violation kind=livelock
 * native: skip
 */
#include <sched.h>
#include <stdatomic.h>

#include "guest.h"

static atomic_int spoon, hungry[2] = {1, 1};

static void *body(void *arg)
{
	int me = (int)(long)arg;

	while (atomic_load(&hungry[me])) {
		if (atomic_load(&spoon) != me) {
			sched_yield();
			continue;
		}
		if (atomic_load(&hungry[1 - me])) {
			atomic_store(&spoon, 1 - me);
			continue;
		}
		atomic_store(&hungry[me], 0);
		atomic_store(&spoon, 1 - me);
	}
	return NULL;
}

int main(void)
{
	pthread_t a = spawn(body, (void *)0), b = spawn(body, (void *)1);

	join(a);
	join(b);
	return 0;
}
