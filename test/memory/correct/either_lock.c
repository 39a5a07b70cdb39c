/*
 * either_lock.c: the writer takes both locks, readers one each: no lock is common to all, and yet
 * nothing races.
 *
 * heddle: verdict=verified outcomes=0,1,10,11
 */
#include "guest.h"

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int value;
static int seen[2];

static void *reader(void *arg)
{
	long me = (long)arg;

	pthread_mutex_lock(&locks[me]);
	seen[me] = value;
	pthread_mutex_unlock(&locks[me]);
	return NULL;
}

static void *writer(void *arg)
{
	pthread_mutex_lock(&locks[0]);
	pthread_mutex_lock(&locks[1]);
	value = 1;
	pthread_mutex_unlock(&locks[1]);
	pthread_mutex_unlock(&locks[0]);
	return arg;
}

int main(void)
{
	pthread_t a = spawn(reader, (void *)0), b = spawn(reader, (void *)1), w = spawn(writer, NULL);

	join(a);
	join(b);
	join(w);
	heddle_outcome(seen[0] * 10 + seen[1]);
	return 0;
}
