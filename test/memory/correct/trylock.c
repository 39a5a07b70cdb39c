/*
 * trylock.c: the variable is touched only where the try succeeded.
 *
 * heddle: verdict=verified outcomes=1,2
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *body(void *arg)
{
	if (pthread_mutex_trylock(&lock) == 0) {
		counter++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(void)
{
	pthread_t a = spawn(body, NULL), b = spawn(body, NULL);

	join(a);
	join(b);
	heddle_outcome(counter);
	return 0;
}
