/*
 * init_race.c: who finds nothing there, makes it; two may find nothing.
 *
 * heddle: verdict=violation kind=race message~="shared"
 * heddle: verdict=verified options="--races ignore" outcomes=1,2
 */
#include <stdatomic.h>

#include "guest.h"

static int *shared;
static atomic_int made;

static void *body(void *arg)
{
	if (!shared) {
		atomic_fetch_add(&made, 1);
		shared = calloc(1, sizeof *shared);
	}
	return arg;
}

int main(void)
{
	pthread_t a = spawn(body, NULL), b = spawn(body, NULL);

	join(a);
	join(b);
	heddle_outcome(made);
	return 0;
}
