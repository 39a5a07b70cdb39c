/*
 * yield_counted.c: a loop yields until another thread has done something, and counts its rounds in a register that
 * calls keep. It is followed for some rounds, and does not make ever new states.
 *
 * heddle: verdict=verified args=rbx options="--max-states 50000" states<=200 text~="counts its rounds"
 * heddle: verdict=verified args=r12 options="--max-states 50000" states<=200 text~="counts its rounds"
 * heddle: verdict=verified args=r13 options="--max-states 50000" states<=200 text~="counts its rounds"
 * heddle: verdict=verified args=r14 options="--max-states 50000" states<=200 text~="counts its rounds"
 * heddle: verdict=verified args=r15 options="--max-states 50000" states<=200 text~="counts its rounds"
 * native: any
 */
#include "guest.h"

#include <sched.h>

static volatile int flag;

static void *sets(void *arg)
{
	sched_yield();
	flag = 1;
	return arg;
}

#define COUNTED(name) \
	static void counted_##name(void) \
	{ \
		register long rounds __asm__(#name) = 0; \
		__asm__ volatile("" : "+r"(rounds)); \
		while (!flag) { \
			sched_yield(); \
			__asm__ volatile("incq %0" : "+r"(rounds)); \
		} \
	}
COUNTED(rbx)
COUNTED(r12)
COUNTED(r13)
COUNTED(r14)
COUNTED(r15)

int main(int argc, char **argv)
{
	pthread_t t = spawn(sets, NULL);
	if (story(argc, argv, "rbx"))
		counted_rbx();
	else if (story(argc, argv, "r12"))
		counted_r12();
	else if (story(argc, argv, "r13"))
		counted_r13();
	else if (story(argc, argv, "r14"))
		counted_r14();
	else
		counted_r15();
	join(t);
	return 0;
}
