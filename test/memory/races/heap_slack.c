/*
 * heap_slack.c: the byte behind a block of 13 belongs to nobody, even where the allocator rounds up.
 *
 * todo: verdict=violation kind=crash where=@slack
 * native: any
 */
#include "guest.h"

static __attribute__((noinline)) char *block(size_t size)
{
	char *p = malloc(size);

	__asm__ volatile("" : "+r"(p)); /* compilers would know its size */
	return p;
}

int main(void)
{
	char *p = block(13);

	CHECK(p);
	p[13] = 1; /* @slack */
	free(p);
	return 0;
}
