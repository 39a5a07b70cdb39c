/*
 * cond_spurious_lost.c: a wake-up that is lost stays lost with --spurious: nobody may rely on a spurious one.
 *
 * heddle: verdict=violation kind=deadlock
 * heddle: verdict=violation kind=deadlock options="--spurious"
 * native: skip
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;

static void *waiter(void *arg)
{
	OK(pthread_mutex_lock(&lock));
	int done = ready;
	OK(pthread_mutex_unlock(&lock));
	OK(pthread_mutex_lock(&lock));
	if (!done) /* looked too early: it may be ready by now */
		OK(pthread_cond_wait(&cond, &lock));
	OK(pthread_mutex_unlock(&lock));
	return arg;
}

int main(void)
{
	pthread_t t = spawn(waiter, NULL);
	OK(pthread_mutex_lock(&lock));
	ready = 1;
	OK(pthread_cond_signal(&cond));
	OK(pthread_mutex_unlock(&lock));
	join(t);
	return 0;
}
