/*
 * condvar_gate.c: what is prepared before the gate opens is read behind it, without a lock.
 *
 * heddle: verdict=verified outcomes=14
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int open_gate, prepared;

static void *body(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!open_gate)
		pthread_cond_wait(&opened, &lock);
	pthread_mutex_unlock(&lock);
	*(int *)arg = prepared;
	return NULL;
}

int main(void)
{
	int got[2];
	pthread_t a = spawn(body, &got[0]), b = spawn(body, &got[1]);

	prepared = 7;
	pthread_mutex_lock(&lock);
	open_gate = 1;
	pthread_cond_broadcast(&opened);
	pthread_mutex_unlock(&lock);
	join(a);
	join(b);
	heddle_outcome(got[0] + got[1]);
	return 0;
}
