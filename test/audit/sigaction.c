// What a signal does, set by the one and asked for by the other.
// plant: signals * *
// names: signal
#include "audit.h"
static struct sigaction seen;
static void setter(void)
{
	pause_here();
	signal(SIGUSR1, SIG_IGN);
}
static void looker(void)
{
	pause_here();
	sigaction(SIGUSR1, NULL, &seen);
}
PROGRAM(setter, looker)
