/*
 * library_freed.c: a library function or a system call that is given freed memory.
 *
 * heddle: args=puts verdict=violation kind=crash message~="freed"
 * heddle: args=snprintf verdict=violation kind=crash message~="freed"
 * heddle: args=send verdict=violation kind=crash message~="freed"
 * heddle: args=qsort verdict=violation kind=crash message~="freed"
 * native: any
 */
#include "guest.h"

static int by_byte(const void *a, const void *b)
{
	return *(const char *)a - *(const char *)b;
}

int main(int argc, char **argv)
{
	char *block = malloc(64), *p = block;
	memset(p, 'a', 63);
	p[63] = 0;
	__asm__ volatile("" : "+r"(p)); /* compilers would know */
	free(block);
	if (story(argc, argv, "puts"))
		puts(p);
	else if (story(argc, argv, "snprintf"))
		snprintf(p, 64, "%d", 1);
	else if (story(argc, argv, "send"))
		CHECK(write(1, p, 5) == 5);
	else
		qsort(p, 10, 1, by_byte);
	return 0;
}
