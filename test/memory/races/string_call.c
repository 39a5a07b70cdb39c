/*
 * string_call.c: a library function writes what another thread reads; the library has no hooks of its
 * own, so the call itself must be known.
 *
 * heddle: verdict=violation kind=race message~="name"
 */
#include "guest.h"

static char name[16];

static void *body(void *arg)
{
	snprintf(name, sizeof name, "%ld", (long)getpid());
	return arg;
}

int main(void)
{
	pthread_t t = spawn(body, NULL);
	int seen = name[0];

	join(t);
	heddle_outcome(seen);
	return 0;
}
