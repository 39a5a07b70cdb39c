/*
 * detached_end.c: the last access of a detached thread, behind the post: nothing orders it against main's.
 *
 * heddle: verdict=violation kind=race message~=result
 */
#include "guest.h"

static sem_t ready;
static int result;

static void *body(void *arg)
{
	sem_post(&ready);
	result = 42;
	return arg;
}

int main(void)
{
	OK(sem_init(&ready, 0, 0));
	OK(pthread_detach(spawn(body, NULL)));
	sem_wait(&ready);
	heddle_outcome(result);
	return 0;
}
