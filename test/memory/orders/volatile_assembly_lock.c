/*
 * volatile_assembly_lock.c: a lock that is taken by an atomic instruction in assembly and given back by a volatile store. It is
 * right on this processor, and the instruction is named as not looked into.
 *
 * heddle: verdict=verified outcomes=2 text~="Verified, but inline assembly was not looked into"
 */
#include "guest.h"

static volatile int locked;
static int count;

static void lock(void)
{
	int was;

	do {
		was = 1;
		__asm__ volatile("xchgl %0, %1" : "+r"(was), "+m"(locked)::"memory");
	} while (was);
}

static void unlock(void)
{
	__asm__ volatile("" ::: "memory");
	locked = 0;
}

static void *body(void *arg)
{
	lock();
	count++;
	unlock();
	return arg;
}

int main(void)
{
	pthread_t a = spawn(body, NULL), b = spawn(body, NULL);

	join(a);
	join(b);
	heddle_outcome(count);
	return 0;
}
