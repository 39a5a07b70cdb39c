/*
 * thread_exit_alive.c: main returns while one thread is blocked for ever and one may
 * still be running: no deadlock, the process just ends, with its atexit handlers.
 *
 * heddle: verdict=verified outcomes=10,11
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ran;

static void *blocked(void *sem)
{
	sem_wait(sem);
	return NULL;
}

static void *running(void *arg)
{
	pthread_mutex_lock(&lock);
	ran = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void at_exit(void)
{
	pthread_mutex_lock(&lock);
	heddle_outcome(10 + ran);
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	static sem_t never;
	sem_init(&never, 0, 0);
	atexit(at_exit);
	spawn(blocked, &never);
	spawn(running, NULL);
	return 0;
}
