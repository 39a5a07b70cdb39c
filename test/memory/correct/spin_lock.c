/*
 * spin_lock.c: a POSIX spin lock protects like a mutex.
 *
 * heddle: verdict=verified outcomes=2
 */
#include "guest.h"

static pthread_spinlock_t lock;
static int counter;

static void *body(void *arg)
{
	pthread_spin_lock(&lock);
	counter++;
	pthread_spin_unlock(&lock);
	return arg;
}

int main(void)
{
	OK(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE));
	pthread_t t = spawn(body, NULL);
	body(NULL);
	join(t);
	heddle_outcome(counter);
	return 0;
}
