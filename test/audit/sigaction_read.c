// The same as sigaction.c, but it is the look that is not declared: only executing both orders shows it.
// plant: signals * read
// names: independent|merged
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
