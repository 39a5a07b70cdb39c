/*
 * done_semaphore.c: detached workers fill their slots and post; who has waited for all
 * of them reads all slots, without a join.
 *
 * heddle: verdict=verified outcomes=12
 */
#include "guest.h"

static sem_t done;
static int results[2];

static void *worker(void *arg)
{
	long me = (long)arg;

	results[me] = (int)me + 1;
	sem_post(&done);
	return NULL;
}

int main(void)
{
	OK(sem_init(&done, 0, 0));
	for (long i = 0; i < 2; i++)
		OK(pthread_detach(spawn(worker, (void *)i)));
	for (int i = 0; i < 2; i++)
		OK(sem_wait(&done));
	heddle_outcome(results[0] * 10 + results[1]);
	return 0;
}
