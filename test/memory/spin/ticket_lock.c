/*
 * ticket_lock.c: first come, first served.
 *
 * heddle: verdict=verified outcomes=4
 */
#include <stdatomic.h>

#include "guest.h"

static atomic_uint tickets, serving;
static int counter;

static void *body(void *arg)
{
	for (int i = 0; i < 2; i++) {
		unsigned mine = atomic_fetch_add(&tickets, 1);
		while (atomic_load(&serving) != mine)
			;
		counter++;
		atomic_store(&serving, mine + 1);
	}
	return arg;
}

int main(void)
{
	pthread_t a = spawn(body, NULL), b = spawn(body, NULL);

	join(a);
	join(b);
	heddle_outcome(counter);
	return 0;
}
