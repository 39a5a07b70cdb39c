/*
 * freed_large.c: memory that was in many small blocks, and then in one of several pages, which is freed. An access far from its
 * start names it, not a small one that began nearer.
 *
 * heddle: verdict=violation kind=crash message~="freed_large.c:22. and freed at"
 * native: any
 */
#include "guest.h"

#define SMALL 40

int main(void)
{
	char *small[SMALL];

	for (int i = 0; i < SMALL; i++)
		small[i] = malloc(200);
	for (int i = 0; i < SMALL; i++) {
		__asm__ volatile("" : "+r"(small[i])); /* compilers would know */
		free(small[i]);
	}
	char *large = malloc(6000);
	char *inside = large + 5500;
	__asm__ volatile("" : "+r"(inside));
	free(large);
	return *(volatile char *)inside;
}
