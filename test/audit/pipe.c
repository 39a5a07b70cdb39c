// Bytes in a pipe, for a reader that does not wait.
// plant: pipe * *
// names: pipe
#include "audit.h"
static int end[2];
static char got;
static void init(void)
{
	pipe2(end, O_NONBLOCK);
}
static void writer(void)
{
	pause_here();
	write(end[1], "x", 1);
}
static void reader(void)
{
	pause_here();
	read(end[0], &got, 1);
}
PROGRAM_AFTER(init, writer, reader)
