/*
 * livelock_never_set.c: spins on a flag that nobody will ever set once the other thread has looked away.
 *
 * heddle: verdict=violation kind=livelock
 * native: skip
 */
#include <stdatomic.h>

#include "guest.h"

static atomic_int request, answer;

static void *server(void *arg)
{
	if (atomic_load(&request)) /* too early: then never again */
		atomic_store(&answer, 1);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(server, NULL);

	atomic_store(&request, 1);
	while (!atomic_load(&answer))
		;
	join(t);
	return 0;
}
