/*
 * thread_local_race.c: a thread-local variable is nobody else's, unless its address gets out.
 *
 * heddle: verdict=violation kind=race
 */
#include "guest.h"

static __thread int mine;
static sem_t told;
static int *address;

static void *body(void *arg)
{
	address = &mine;
	sem_post(&told);
	mine = 1;
	sem_wait((sem_t *)arg);
	return NULL;
}

int main(void)
{
	sem_t leave;

	OK(sem_init(&told, 0, 0));
	OK(sem_init(&leave, 0, 0));
	pthread_t t = spawn(body, &leave);
	OK(sem_wait(&told));
	int seen = *address;
	sem_post(&leave);
	join(t);
	heddle_outcome(seen);
	return 0;
}
