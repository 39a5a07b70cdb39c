// The program break, moved by the one and looked at by the other.
// plant: process break *
// names: break
#include "audit.h"
static void *seen;
static void mover(void)
{
	pause_here();
	sbrk(4096);
}
static void looker(void)
{
	pause_here();
	seen = sbrk(0);
}
PROGRAM(mover, looker)
