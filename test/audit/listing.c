// Which names a directory has, for who lists it.
// plant: listing * *
// names: independent|merged|list
#include <dirent.h>

#include "audit.h"
static int count;
static void init(void)
{
	mkdir("dir", 0755);
}
static void maker(void)
{
	pause_here();
	mkdir("dir/new", 0755);
}
static void lister(void)
{
	int fd = open("dir", O_RDONLY | O_DIRECTORY);
	char buf[512];
	pause_here();
	count = (int)getdents64(fd, buf, sizeof buf);
}
PROGRAM_AFTER(init, maker, lister)
