/*
 * trylock_ignored.c: goes on although the try failed.
 *
 * heddle: verdict=violation kind=race message~="counter"
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *body(void *arg)
{
	int busy = pthread_mutex_trylock(&lock);

	counter++;
	if (!busy)
		pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t a = spawn(body, NULL), b = spawn(body, NULL);

	join(a);
	join(b);
	return counter == 0;
}
