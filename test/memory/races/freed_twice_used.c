/*
 * freed_twice_used.c: memory that was in two small blocks, and then in a large one, which is freed. An access there names the
 * last block, not the small one that began nearer to it.
 *
 * heddle: verdict=violation kind=crash message~="freed_twice_used.c:18. and freed at"
 * native: any
 */
#include "guest.h"

int main(void)
{
	char *one = malloc(64), *two = malloc(64);

	char *inside = two + 32, *first = one;
	__asm__ volatile("" : "+r"(inside), "+r"(first)); /* compilers would know */
	free(one);
	free(two);
	char *large = malloc(128); /* @large */
	__asm__ volatile("" : "+r"(large));
	CHECK(large == first);
	free(large);
	return *(volatile char *)inside;
}
