/*
 * assembly.c: inline assembly that touches memory is named; barriers, hints and registers are nothing to name.
 *
 * heddle: verdict=verified text~="(?s)Verified, but inline assembly was not looked into.*not looked into: inline assembly at {@assembly}"
 */
#include "guest.h"

static int count;

static void *body(void *arg)
{
	unsigned swapped = 1;

	__asm__ volatile("" ::: "memory");
	__asm__ volatile("pause" ::: "memory");
	__asm__("bswap %0" : "+r"(swapped));
	__asm__ volatile("lock; incl %0" : "+m"(count)); /* @assembly */
	return arg;
}

int main(void)
{
	pthread_t t = spawn(body, NULL);

	join(t);
	return 0;
}
