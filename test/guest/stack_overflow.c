/*
 * stack_overflow.c: recursion without end, in a thread or in main, is told as a stack
 * overflow, not as some crash; a big array that jumps over the guard, too.
 *
 * heddle: verdict=violation kind=crash args=thread message~="(?i)stack overflow" thread=2
 * heddle: verdict=violation kind=crash args=main message~="(?i)stack overflow" thread=1
 * native: args=thread signal=SEGV
 * native: args=main signal=SEGV
 * build: -O0
 */
#include "guest.h"

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

int main(int argc, char **argv)
{
	if (story(argc, argv, "main"))
		deep(0);
	join(spawn(body, NULL));
	return 0;
}
