/*
 * crash.c: every way to die by a signal: the report names the signal, the address,
 * the thread and the line.
 *
 * heddle: verdict=violation kind=crash args=null message~="SIGSEGV.*0x10\b" where=@null thread=1
 * heddle: verdict=violation kind=crash args=wild message~="SIGSEGV.*0x123456" where=@wild
 * heddle: verdict=violation kind=crash args=call message~="SIGSEGV"
 * heddle: verdict=violation kind=crash args=divide message~="SIGFPE" where=@divide
 * heddle: verdict=violation kind=crash args=illegal message~="SIGILL" where=@illegal
 * heddle: verdict=violation kind=crash args=text message~="SIGSEGV" where=@text
 * heddle: verdict=violation kind=crash args=noncanonical message~="SIGSEGV" where=@noncanonical
 * heddle: verdict=violation kind=crash args=term message~="SIGTERM"
 * heddle: verdict=violation kind=crash args=thread message~="SIGSEGV.*0x20\b" where=@thread thread=2
 * native: args=null signal=SEGV
 * native: args=wild signal=SEGV
 * native: args=call signal=SEGV
 * native: args=divide signal=FPE
 * native: args=illegal signal=ILL
 * native: args=text signal=SEGV
 * native: args=noncanonical signal=SEGV
 * native: args=term signal=TERM
 * native: args=thread signal=SEGV
 * build: -O0
 */
#include <signal.h>

#include "guest.h"

static volatile int zero;

static void *dies(void *arg)
{
	*(volatile char *)0x20 = 1; /* @thread */
	return arg;
}

int main(int argc, char **argv)
{
	if (story(argc, argv, "null"))
		*(volatile long *)0x10 = 1; /* @null */
	if (story(argc, argv, "wild"))
		return *(volatile int *)0x123456; /* @wild */
	if (story(argc, argv, "call"))
		((void (*)(void))0x77)();
	if (story(argc, argv, "divide"))
		return 7 / zero; /* @divide */
	if (story(argc, argv, "illegal"))
		__asm__ volatile("ud2"); /* @illegal */
	if (story(argc, argv, "text"))
		*(volatile char *)main = 0; /* @text */
	if (story(argc, argv, "noncanonical"))
		*(volatile char *)0x4141414141414141 = 0; /* @noncanonical */
	if (story(argc, argv, "term"))
		raise(SIGTERM);
	if (story(argc, argv, "thread"))
		join(spawn(dies, NULL));
	return 0;
}
