// The same, but it is the look at the umask that is not declared: only executing both orders shows it.
// plant: process umask read
// names: umask|file|made|independent|merged
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
