/*
 * heap_race.c: the race is in a heap block; the report says where it was allocated.
 *
 * heddle: verdict=violation kind=race text~="{@allocated}"
 */
#include "guest.h"

static void *body(void *arg)
{
	((int *)arg)[1]++;
	return NULL;
}

int main(void)
{
	int *numbers = calloc(4, sizeof *numbers); /* @allocated */

	CHECK(numbers);
	pthread_t a = spawn(body, numbers), b = spawn(body, numbers);
	join(a);
	join(b);
	heddle_outcome(numbers[1]);
	free(numbers);
	return 0;
}
