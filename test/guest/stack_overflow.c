/*
 * stack_overflow.c: recursion without end, in a thread or in main, is told as a stack
 * overflow, not as some crash; a big array that jumps over the guard, too. A handler with a stack of its own may
 * jump out of it.
 *
 * heddle: verdict=violation kind=crash args=thread message~="(?i)stack overflow" thread=2
 * heddle: verdict=violation kind=crash args=main message~="(?i)stack overflow" thread=1
 * heddle: verdict=verified args=handled outcomes=1
 * native: args=thread signal=SEGV
 * native: args=main signal=SEGV
 * native: args=handled
 * build: -O0
 */
#include "guest.h"

#include <setjmp.h>
#include <signal.h>

static long deep(long n)
{
	volatile char frame[200];
	frame[0] = (char)n;
	return n < 0 ? 0 : deep(n + 1) + frame[0];
}

static void *body(void *arg)
{
	deep(0);
	return arg;
}

static sigjmp_buf out;
static char other_stack[65536];

static void leave(int sig)
{
	siglongjmp(out, sig);
}

static void *handled(void *arg)
{
	stack_t stack = {.ss_sp = other_stack, .ss_size = sizeof(other_stack)};
	OK(sigaltstack(&stack, NULL));
	if (!sigsetjmp(out, 1))
		deep(0);
	return arg;
}

int main(int argc, char **argv)
{
	if (story(argc, argv, "main"))
		deep(0);
	if (story(argc, argv, "handled")) {
		struct sigaction act = {.sa_handler = leave, .sa_flags = SA_ONSTACK};
		OK(sigaction(SIGSEGV, &act, NULL));
		join(spawn(handled, NULL));
		heddle_outcome(1);
		return 0;
	}
	join(spawn(body, NULL));
	return 0;
}
