// A mapping that one thread makes unreadable and another unmaps.
// plant: mapping * *
// names: mapping
#include "audit.h"
static char *at;
static void init(void)
{
	at = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
static void protector(void)
{
	pause_here();
	mprotect(at, 4096, PROT_READ);
}
static void unmapper(void)
{
	pause_here();
	munmap(at, 8192);
}
PROGRAM_AFTER(init, protector, unmapper)
