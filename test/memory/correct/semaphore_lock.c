/*
 * semaphore_lock.c: a semaphore of one used as a lock: nobody "holds" it, and still it protects.
 *
 * heddle: verdict=verified outcomes=3
 */
#include "guest.h"

static sem_t one;
static int counter;

static void *body(void *arg)
{
	OK(sem_wait(&one));
	counter++;
	sem_post(&one);
	return arg;
}

int main(void)
{
	OK(sem_init(&one, 0, 1));
	pthread_t a = spawn(body, NULL), b = spawn(body, NULL);
	body(NULL);
	join(a);
	join(b);
	heddle_outcome(counter);
	return 0;
}
