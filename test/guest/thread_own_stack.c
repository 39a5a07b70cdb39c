/*
 * thread_own_stack.c: a program that brings the memory for a thread's stack.
 *
 * heddle: verdict=verified outcomes=5050
 */
#include "guest.h"

static long sum(long n)
{
	volatile char frame[256];
	frame[0] = 1;
	return n ? n + sum(n - frame[0]) : 0;
}

static void *body(void *arg)
{
	return (void *)sum((long)arg);
}

int main(void)
{
	enum { SIZE = 256 * 1024 };
	void *stack = aligned_alloc(4096, SIZE);
	pthread_attr_t attr;
	pthread_t t;
	OK(pthread_attr_init(&attr));
	OK(pthread_attr_setstack(&attr, stack, SIZE));
	OK(pthread_create(&t, &attr, body, (void *)100));
	OK(pthread_attr_destroy(&attr));
	heddle_outcome((long)join(t));
	free(stack);
	return 0;
}
