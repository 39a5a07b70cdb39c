// A sleep that ends moves the clock that another thread reads.
// plant: process clock *
// names: clock
#include "audit.h"
static struct timespec seen;
static void sleeper(void)
{
	usleep(1000);
}
static void reader(void)
{
	pause_here();
	clock_gettime(CLOCK_MONOTONIC, &seen);
}
PROGRAM(sleeper, reader)
