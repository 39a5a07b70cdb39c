/*
 * semaphore_handover.c: what was written before a post may be read after the wait.
 *
 * heddle: verdict=verified outcomes=42
 */
#include "guest.h"

static sem_t ready;
static int message;

static void *writer(void *arg)
{
	message = 42;
	sem_post(&ready);
	return arg;
}

int main(void)
{
	OK(sem_init(&ready, 0, 0));
	pthread_t w = spawn(writer, NULL);
	OK(sem_wait(&ready));
	heddle_outcome(message);
	message = 43;
	join(w);
	return 0;
}
