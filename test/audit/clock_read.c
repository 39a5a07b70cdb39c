// The same as clock.c, but it is the look that is not declared: only executing both orders shows it.
// plant: process clock read
// names: independent|merged
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
