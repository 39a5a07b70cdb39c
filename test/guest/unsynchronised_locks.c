/*
 * unsynchronised_locks.c: each side takes a lock, but not the same.
 *
 * heddle: verdict=verified text~="Verified, but threads share pool.used "
 * native: exit=0
 */
#include "guest.h"

static pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static struct {
	long size, used;
} pool;

static void take(pthread_mutex_t *m)
{
	pthread_mutex_lock(m);
}

static void *worker(void *arg)
{
	take(arg);
	pool.used++;
	pthread_mutex_unlock(arg);
	return NULL;
}

int main(void)
{
	pthread_t a = spawn(worker, &lock[0]), b = spawn(worker, &lock[0]), c = spawn(worker, &lock[1]);

	join(a);
	join(b);
	join(c);
	return 0;
}
