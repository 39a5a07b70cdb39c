// The current directory decides what a name means for another thread.
// plant: process cwd *
// names: current directory|cwd
#include "audit.h"
static void init(void)
{
	mkdir("there", 0755);
}
static void changer(void)
{
	pause_here();
	chdir("there");
}
static void maker(void)
{
	pause_here();
	mkdir("here", 0755);
}
PROGRAM_AFTER(init, changer, maker)
