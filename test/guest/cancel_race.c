/*
 * cancel_race.c: pthread_testcancel notices a request at the next test, whenever it
 * came: after one round, after two, or never.
 *
 * heddle: verdict=verified outcomes=11,21,20
 */
#include "guest.h"

static int rounds;

static void *body(void *arg)
{
	rounds = 1;
	pthread_testcancel();
	rounds = 2;
	pthread_testcancel();
	return arg;
}

int main(void)
{
	pthread_t t = spawn(body, NULL);
	int rc = pthread_cancel(t);
	CHECK(rc == 0 || rc == ESRCH);
	int cancelled = join(t) == PTHREAD_CANCELED;
	heddle_outcome(rounds * 10 + cancelled);
	return 0;
}
