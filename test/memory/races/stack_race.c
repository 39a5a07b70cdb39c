/*
 * stack_race.c: a thread tells its local variable's address to another and goes on using it.
 *
 * heddle: verdict=violation kind=race
 */
#include "guest.h"

static sem_t told;
static int *address;

static void *owner(void *arg)
{
	int local = 0;

	address = &local;
	sem_post(&told);
	local++;
	sem_post(&told);
	sem_wait((sem_t *)arg);
	return NULL;
}

int main(void)
{
	sem_t leave;

	OK(sem_init(&told, 0, 0));
	OK(sem_init(&leave, 0, 0));
	pthread_t t = spawn(owner, &leave);
	OK(sem_wait(&told));
	++*address;
	sem_post(&leave);
	join(t);
	return 0;
}
