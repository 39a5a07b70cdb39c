/*
 * A handler ends its thread, wherever that is: before its first line, at work, in a wait.
 *
 * heddle: verdict=verified outcomes=0,1
 */
#include <signal.h>

#include "guest.h"

static int started;

static void leave(int sig)
{
	(void)sig;
	pthread_exit(NULL);
}

static void *body(void *arg)
{
	started = 1;
	for (;;)
		pause();
	return arg;
}

int main(void)
{
	CHECK(signal(SIGUSR1, leave) != SIG_ERR);
	pthread_t t = spawn(body, NULL);
	OK(pthread_kill(t, SIGUSR1));
	join(t);
	heddle_outcome((unsigned)started);
	return 0;
}
