// The umask decides the mode of a file that another thread makes.
// plant: process umask *
// names: umask
#include "audit.h"
static void setter(void)
{
	pause_here();
	umask(077);
}
static void maker(void)
{
	pause_here();
	close(open("made", O_CREAT | O_WRONLY, 0666));
}
PROGRAM(setter, maker)
