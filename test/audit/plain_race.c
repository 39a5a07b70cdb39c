// Two threads add to a plain variable: their race, nobody's missing declaration. It is counted.
// unsynchronised: yes
#include "audit.h"
static int x;
static void adder(void)
{
	pause_here();
	x = x * 2 + 1;
}
static void other(void)
{
	pause_here();
	x = x * 3;
}
PROGRAM(adder, other)
