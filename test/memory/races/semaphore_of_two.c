/*
 * semaphore_of_two.c: a semaphore used as a lock, but two may pass.
 *
 * heddle: verdict=violation kind=race message~="counter"
 * heddle: verdict=verified options="--races ignore" outcomes=1,2
 */
#include "guest.h"

static sem_t two;
static int counter;

static void *body(void *arg)
{
	OK(sem_wait(&two));
	counter++;
	sem_post(&two);
	return arg;
}

int main(void)
{
	OK(sem_init(&two, 0, 2));
	pthread_t a = spawn(body, NULL), b = spawn(body, NULL);
	join(a);
	join(b);
	heddle_outcome(counter);
	return 0;
}
