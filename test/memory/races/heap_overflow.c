/*
 * heap_overflow.c: one element past the end of a heap block: in a loop, by memset, by reading; and before the
 * start, where another block was. (Where another block is, nobody can tell.)
 *
 * heddle: verdict=violation kind=crash args=loop where=@loop
 * heddle: verdict=violation kind=crash args=memset where=@memset
 * heddle: verdict=violation kind=crash args=before where=@before
 * heddle: verdict=violation kind=crash args=read where=@read
 * native: skip
 */
#include "guest.h"

static __attribute__((noinline)) long *block(size_t size)
{
	long *p = malloc(size);

	__asm__ volatile("" : "+r"(p)); /* compilers would know its size */
	return p;
}

int main(int argc, char **argv)
{
	long *front = block(64), *p = block(64), sum = 0;

	CHECK(front && p);
	free(front);
	if (story(argc, argv, "loop"))
		for (int i = 0; i <= 8; i++)
			p[i] = i; /* @loop */
	if (story(argc, argv, "memset"))
		memset(p, 1, 64 + (size_t)argc); /* @memset */
	if (story(argc, argv, "before"))
		p[-argc / 2] = 1; /* @before */
	if (story(argc, argv, "read"))
		for (int i = 1; i <= 8; i++)
			sum += p[i]; /* @read */
	heddle_outcome(sum);
	return 0;
}
