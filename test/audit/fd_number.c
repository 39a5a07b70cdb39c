// What a descriptor number means: one thread replaces it, another writes to it.
// plant: fd * *
// names: descriptor|fd
#include "audit.h"
static int fd, with;
static void init(void)
{
	fd = open("one", O_CREAT | O_RDWR, 0600);
	with = open("two", O_CREAT | O_RDWR, 0600);
}
static void replacer(void)
{
	pause_here();
	dup2(with, fd);
}
static void writer(void)
{
	pause_here();
	write(fd, "x", 1);
}
PROGRAM_AFTER(init, replacer, writer)
