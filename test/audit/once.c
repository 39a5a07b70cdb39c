// One of two threads runs the routine.
// plant: memory * *
// names: memory|once
#include "audit.h"
static pthread_once_t o = PTHREAD_ONCE_INIT;
static void routine(void)
{
	pause_here();
}
static void work(void)
{
	pthread_once(&o, routine);
}
PROGRAM(work, work)
