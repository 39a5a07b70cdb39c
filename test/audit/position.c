// Two threads read from one open file: the position goes on.
// plant: desc * *
// names: position|description
#include "audit.h"
static int fd;
static char got[2];
static void init(void)
{
	fd = open("file", O_CREAT | O_RDWR, 0600);
	write(fd, "abcdef", 6);
	lseek(fd, 0, SEEK_SET);
}
static void first(void)
{
	pause_here();
	read(fd, &got[0], 1);
}
static void second(void)
{
	pause_here();
	read(fd, &got[1], 1);
}
PROGRAM_AFTER(init, first, second)
