/*
 * mutex_destroy_observes.c: the last user of a lock tells main before it unlocks, and
 * main destroys at once: a bug that shows only if destroy can meet the lock held.
 * With the post after the unlock everything is fine.
 *
 * heddle: verdict=violation kind=lock-misuse where=@destroy args=early
 * heddle: verdict=verified args=late
 * native: args=early any
 * native: args=late
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t done;
static char **args;

static void *user(void *arg)
{
	pthread_mutex_lock(&lock);
	if (story(2, args, "early"))
		sem_post(&done);
	pthread_mutex_unlock(&lock);
	if (story(2, args, "late"))
		sem_post(&done);
	return arg;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	args = argv;
	sem_init(&done, 0, 0);
	pthread_t t = spawn(user, NULL);
	sem_wait(&done);
	pthread_mutex_destroy(&lock); /* @destroy */
	join(t);
	return 0;
}
