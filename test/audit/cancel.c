// Cancelling a thread that waits.
// plant: thread * *
// names: thread
#include "audit.h"
static pthread_t victim;
static void *waits(void *arg)
{
	sleep(1000);
	return arg;
}
static void init(void)
{
	pthread_create(&victim, NULL, waits, NULL);
}
static void canceller(void)
{
	pause_here();
	pthread_cancel(victim);
	pthread_join(victim, NULL);
}
PROGRAM_AFTER(init, canceller)
