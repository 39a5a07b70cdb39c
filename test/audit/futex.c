// A futex: who is woken, and whether somebody sleeps by then.
// plant: memory * *
// names: memory|thread|independent
#include <linux/futex.h>
#include <sys/syscall.h>

#include "audit.h"
static int word;
static long woken;
static void sleeper(void)
{
	struct timespec soon = {.tv_nsec = 1000};
	syscall(SYS_futex, &word, FUTEX_WAIT, 0, &soon, NULL, 0);
}
static void waker(void)
{
	pause_here();
	woken = syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
}
PROGRAM(sleeper, waker)
