/*
 * sem_stuck.c: a semaphore that is never posted; main waits for the thread that waits
 * for it. The report names both.
 *
 * heddle: verdict=violation kind=deadlock message~="(?i)semaphore" text~="(?i)({@wait}.*join|join.*{@wait})"
 * native: skip
 */
#include "guest.h"

static sem_t sem;

static void *body(void *arg)
{
	sem_wait(&sem); /* @wait */
	return arg;
}

int main(void)
{
	sem_init(&sem, 0, 0);
	join(spawn(body, NULL));
	return 0;
}
