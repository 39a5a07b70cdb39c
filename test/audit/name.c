// Is there a file of that name?
// plant: name * *
// names: name
#include "audit.h"
static int found;
static void maker(void)
{
	pause_here();
	mkdir("dir", 0755);
}
static void looker(void)
{
	pause_here();
	found = !access("dir", F_OK);
}
PROGRAM(maker, looker)
