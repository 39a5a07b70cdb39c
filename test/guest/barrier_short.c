/*
 * barrier_short.c: a barrier for three with two threads: nobody gets through.
 *
 * heddle: verdict=violation kind=deadlock message~="(?i)barrier"
 * native: skip
 */
#include "guest.h"

static pthread_barrier_t barrier;

static void *body(void *arg)
{
	pthread_barrier_wait(&barrier);
	return arg;
}

int main(void)
{
	pthread_barrier_init(&barrier, NULL, 3);
	pthread_t t = spawn(body, NULL);
	pthread_barrier_wait(&barrier);
	join(t);
	return 0;
}
