/*
 * cancel_sleep.c: a sleeping thread may be cancelled in its sleep or wake up first:
 * both happen (natively the sleep is too long to end).
 *
 * heddle: verdict=verified outcomes=0,1
 */
#include "guest.h"

static void *body(void *arg)
{
	sleep(1000);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(body, NULL);
	OK(pthread_cancel(t));
	heddle_outcome(join(t) == PTHREAD_CANCELED);
	return 0;
}
