/*
 * two_flags_retreat.c: both raise a flag, look, and retreat if the other's is up; they may go on like that for
 * ever, but from every state somebody can get on: no livelock.
 *
 * heddle: verdict=verified outcomes=2
 */
#include <stdatomic.h>

#include "guest.h"

static atomic_int wants[2];
static int counter;

static void *body(void *arg)
{
	int me = (int)(long)arg;

	for (;;) {
		atomic_store(&wants[me], 1);
		if (!atomic_load(&wants[1 - me]))
			break;
		atomic_store(&wants[me], 0);
	}
	counter++;
	atomic_store(&wants[me], 0);
	return NULL;
}

int main(void)
{
	pthread_t a = spawn(body, (void *)0), b = spawn(body, (void *)1);

	join(a);
	join(b);
	heddle_outcome(counter);
	return 0;
}
