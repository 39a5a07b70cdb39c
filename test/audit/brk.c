// The program break, moved by the one and looked at by the other.
// plant: process break *
// names: break
#include <sys/syscall.h>

#include "audit.h"
static long seen;
static void mover(void)
{
	pause_here();
	syscall(SYS_brk, syscall(SYS_brk, 0) + 4096);
}
static void looker(void)
{
	pause_here();
	seen = syscall(SYS_brk, 0);
}
PROGRAM(mover, looker)
