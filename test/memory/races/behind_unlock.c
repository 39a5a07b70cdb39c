/*
 * behind_unlock.c: an access behind the unlock, in one step with it. The other thread comes to its access only when
 * the critical section is over, and by way of a semaphore that somebody else has posted: never side by side, unless
 * steps are cut behind the unlock.
 *
 * heddle: verdict=violation kind=race message~=word
 * heddle: verdict=violation options="--por on" kind=race message~=word
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t other;
static int open_now, word;

static void *first(void *arg)
{
	pthread_mutex_lock(&lock);
	open_now = 1;
	pthread_mutex_unlock(&lock);
	word = 1;
	sem_post(&other);
	return arg;
}

static void *second(void *arg)
{
	pthread_mutex_lock(&lock);
	int seen = open_now;
	pthread_mutex_unlock(&lock);
	sem_wait(&other);
	if (seen)
		CHECK(word <= 1);
	return arg;
}

int main(void)
{
	OK(sem_init(&other, 0, 1));
	pthread_t a = spawn(first, NULL), b = spawn(second, NULL);
	OK(pthread_join(a, NULL));
	OK(pthread_join(b, NULL));
	return 0;
}
