/*
 * use_after_free_alone.c: no thread is needed for this one.
 *
 * heddle: verdict=violation kind=crash where=@use message~="(?i)free"
 * native: any
 */
#include "guest.h"

static __attribute__((noinline)) void drop(void *p)
{
	__asm__ volatile("" : "+r"(p)); /* whatever p is: compilers look into functions */
	free(p);
}

int main(void)
{
	long *p = malloc(64);

	CHECK(p);
	p[2] = 1;
	drop(p);
	heddle_outcome(p[2]); /* @use */
	return 0;
}
