/*
 * thread_tryjoin.c: pthread_tryjoin_np sees a thread that may have ended or not, and
 * pthread_timedjoin_np may time out or not: all outcomes are reached.
 *
 * heddle: verdict=verified args=try outcomes=0,1
 * heddle: verdict=verified args=timed outcomes=0,1
 * native: args=try
 * native: args=timed
 */
#include "guest.h"

static void *body(void *arg)
{
	sem_wait(arg);
	return (void *)7;
}

int main(int argc, char **argv)
{
	sem_t go;
	sem_init(&go, 0, 1);
	pthread_t t = spawn(body, &go);
	struct timespec soon = from_now(CLOCK_REALTIME, 50);
	void *value = NULL;
	int rc = story(argc, argv, "try") ? pthread_tryjoin_np(t, &value)
					  : pthread_timedjoin_np(t, &value, &soon);
	CHECK(rc == 0 || rc == (story(argc, argv, "try") ? EBUSY : ETIMEDOUT));
	if (rc)
		value = join(t);
	CHECK(value == (void *)7);
	heddle_outcome(rc != 0);
	return 0;
}
