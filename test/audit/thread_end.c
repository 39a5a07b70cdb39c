// The end of a thread is seen by who looks whether it has ended.
// plant: thread * *
// names: thread
#include "audit.h"
static pthread_t ended;
static void *nothing(void *arg)
{
	return arg;
}
static void init(void)
{
	pthread_create(&ended, NULL, nothing, NULL);
}
static void looker(void)
{
	pause_here();
	if (pthread_tryjoin_np(ended, NULL))
		pthread_detach(ended);
}
PROGRAM_AFTER(init, looker)
