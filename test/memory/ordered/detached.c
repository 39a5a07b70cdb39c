/*
 * detached.c: a thread that nobody joins says by a semaphore that its result is there.
 *
 * heddle: verdict=verified states=5 outcomes=42
 */
#include "guest.h"

static sem_t ready;
static int result;

static void *body(void *arg)
{
	result = 42;
	sem_post(&ready);
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
