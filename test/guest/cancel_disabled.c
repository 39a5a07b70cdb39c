/*
 * cancel_disabled.c: while cancellation is disabled, cancellation points don't act;
 * the request stays pending and acts at the first point after enabling.
 *
 * heddle: verdict=verified outcomes=3
 */
#include "guest.h"

static sem_t off, sent;
static int step;

static void *body(void *arg)
{
	int old;
	OK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old));
	CHECK(old == PTHREAD_CANCEL_ENABLE);
	sem_post(&off);
	sem_wait(&sent);
	step = 1;
	pthread_testcancel();
	step = 2;
	OK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old));
	CHECK(old == PTHREAD_CANCEL_DISABLE);
	OK(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old));
	CHECK(old == PTHREAD_CANCEL_DEFERRED);
	step = 3;
	pthread_testcancel();
	step = 4;
	return arg;
}

int main(void)
{
	sem_init(&off, 0, 0);
	sem_init(&sent, 0, 0);
	pthread_t t = spawn(body, NULL);
	sem_wait(&off);
	OK(pthread_cancel(t));
	sem_post(&sent);
	CHECK(join(t) == PTHREAD_CANCELED);
	heddle_outcome(step);
	return 0;
}
