/*
 * A recursive mutex locked twice, then waited with: one level is given up only, so nobody else can ever signal.
 *
 * heddle: verdict=violation kind=deadlock
 * native: skip
 */
#include "guest.h"

static pthread_mutex_t lock;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;

static void *signals(void *arg)
{
	OK(pthread_mutex_lock(&lock));
	ready = 1;
	OK(pthread_cond_signal(&cond));
	OK(pthread_mutex_unlock(&lock));
	return arg;
}

int main(void)
{
	pthread_mutexattr_t a;
	OK(pthread_mutexattr_init(&a));
	OK(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE));
	OK(pthread_mutex_init(&lock, &a));
	pthread_t t = spawn(signals, NULL);
	OK(pthread_mutex_lock(&lock));
	OK(pthread_mutex_lock(&lock));
	while (!ready)
		OK(pthread_cond_wait(&cond, &lock));
	OK(pthread_mutex_unlock(&lock));
	OK(pthread_mutex_unlock(&lock));
	join(t);
	return 0;
}
