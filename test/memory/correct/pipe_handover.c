/*
 * pipe_handover.c: the address of a heap block goes through a pipe, and with it the block.
 *
 * heddle: verdict=verified outcomes=77
 */
#include "guest.h"

static int ends[2];

static void *sender(void *arg)
{
	int *box = malloc(sizeof *box);

	CHECK(box);
	*box = 77;
	CHECK(write(ends[1], &box, sizeof box) == (ssize_t)sizeof box);
	return arg;
}

int main(void)
{
	int *box;

	OK(pipe(ends));
	pthread_t t = spawn(sender, NULL);
	CHECK(read(ends[0], &box, sizeof box) == (ssize_t)sizeof box);
	heddle_outcome(*box);
	*box = 78;
	free(box);
	join(t);
	return 0;
}
