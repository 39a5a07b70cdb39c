/*
 * read_without_lock.c: writers lock, the reader does not.
 *
 * heddle: verdict=violation kind=race
 * heddle: verdict=verified options="--races ignore" outcomes=0,1
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *writer(void *arg)
{
	pthread_mutex_lock(&lock);
	value = 1; /* @write */
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(writer, NULL);
	int seen = value; /* @read */

	join(t);
	heddle_outcome(seen);
	return 0;
}
