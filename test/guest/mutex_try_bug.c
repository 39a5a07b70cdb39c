/*
 * mutex_try_bug.c: the author thinks that trylock always succeeds as nobody holds the
 * lock for long. The assertion fails only if trylock meets the critical section.
 *
 * heddle: verdict=violation kind=assert message~="rc == 0" where=@bug
 * native: any
 */
#include <assert.h>

#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *holder(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(holder, NULL);
	int rc = pthread_mutex_trylock(&lock);
	assert(rc == 0); /* @bug */
	pthread_mutex_unlock(&lock);
	join(t);
	return 0;
}
