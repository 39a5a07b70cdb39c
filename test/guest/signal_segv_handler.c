/*
 * signal_segv_handler.c: a program with its own SIGSEGV handler gets its own faults,
 * with the address, and none of heddle's.
 *
 * heddle: verdict=verified outcomes=3
 * native: any
 */
#include <setjmp.h>
#include <signal.h>

#include "guest.h"

static sigjmp_buf back;
static volatile int faults;
static char page[3 * 4096];

static void handler(int signo, siginfo_t *info, void *context)
{
	(void)context;
	CHECK(signo == SIGSEGV && info->si_addr == (void *)0x40);
	faults++;
	siglongjmp(back, 1);
}

int main(void)
{
	struct sigaction sa = {0};
	sa.sa_sigaction = handler;
	sa.sa_flags = SA_SIGINFO;
	OK(sigaction(SIGSEGV, &sa, NULL));
	for (volatile int i = 0; i < 3; i++) {
		sched_yield();
		page[i * 4096] = 1;
		if (sigsetjmp(back, 1) == 0)
			*(volatile char *)0x40 = 1;
	}
	heddle_outcome(faults);
	return 0;
}
