// The same as file.c, but it is the look that is not declared: only executing both orders shows it.
// plant: file * read
// names: independent|merged
#include "audit.h"
static int in, out;
static char got;
static void init(void)
{
	out = open("file", O_CREAT | O_RDWR, 0600);
	in = open("file", O_RDONLY);
}
static void writer(void)
{
	pause_here();
	write(out, "x", 1);
}
static void reader(void)
{
	pause_here();
	read(in, &got, 1);
}
PROGRAM_AFTER(init, writer, reader)
