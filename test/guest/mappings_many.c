/*
 * mappings_many.c: one thread makes more mappings than the model has room for. Linux has, so the verdict says
 * that it is a limit of heddle's.
 *
 * heddle: verdict=incomplete refused~="limit: more than 1024 mappings"
 */
#include <sys/mman.h>

#include "guest.h"

int main(void)
{
	for (int i = 0; i < 1500; i++) {
		int prot = i % 2 ? PROT_READ : PROT_READ | PROT_WRITE; /* else they would be one */
		if (mmap(NULL, 4096, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
			return 1;
	}
	return 0;
}
