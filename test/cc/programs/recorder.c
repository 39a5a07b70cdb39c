/* Stands for the runtime: counts the accesses that a program tells, by size and kind, and prints them at the end. */
#include <stdio.h>

static unsigned long count[200][8];

void heddle_rt_access(const void *address, unsigned long size, unsigned how, const void *pc)
{
	(void)address;
	(void)pc;
	count[size < 200 ? size : 199][how & 7]++;
}

__attribute__((destructor)) static void print(void)
{
	for (unsigned size = 0; size < 200; size++)
		for (unsigned how = 0; how < 8; how++)
			if (count[size][how])
				fprintf(stderr, "%u:%u=%lu\n", size, how, count[size][how]);
}
