// Which number is the lowest free one, for two threads that open.
// plant: fd_table * *
// names: descriptor|fd
#include "audit.h"
static int got[2];
static void first(void)
{
	pause_here();
	got[0] = open("/dev/null", O_RDONLY);
}
static void second(void)
{
	pause_here();
	got[1] = open("/dev/null", O_RDONLY);
}
PROGRAM(first, second)
