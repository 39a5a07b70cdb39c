/*
 * realloc_in_place.c: a block that realloc leaves where it was is still the same block: nothing orders what was
 * written to it before, in the same step, against a look at it.
 *
 * heddle: verdict=violation kind=race
 */
#include "guest.h"

static sem_t go;
static int *block;

static void *writer(void *arg)
{
	sem_post(&go);
	block[0] = 1;
	int *same = realloc(block, 28);
	CHECK(same == block);
	return arg;
}

static void *reader(void *arg)
{
	sem_wait(&go);
	CHECK(block[0] <= 1);
	return arg;
}

int main(void)
{
	block = calloc(1, 24);
	OK(sem_init(&go, 0, 0));
	pthread_t a = spawn(writer, NULL), b = spawn(reader, NULL);
	join(a);
	join(b);
	free(block);
	return 0;
}
