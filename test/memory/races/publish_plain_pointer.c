/*
 * publish_plain_pointer.c: an object is filled and its address stored in a plain pointer, without release.
 *
 * heddle: verdict=violation kind=race message~="shared"
 * heddle: verdict=verified options="--races ignore" outcomes=-1,9
 */
#include "guest.h"

static int *shared;

static void *writer(void *arg)
{
	int *p = malloc(sizeof *p);

	CHECK(p);
	*p = 9;
	shared = p;
	return arg;
}

int main(void)
{
	pthread_t t = spawn(writer, NULL);
	int *p = shared;
	int seen = p ? *p : -1;

	join(t);
	heddle_outcome(seen);
	return 0;
}
