/*
 * heap_limit.c: memory may run out: with --heap-limit malloc gives NULL and the program
 * must live with it; what it frees can be had again.
 *
 * heddle: verdict=verified outcomes=0 options="--heap-limit 1M"
 * heddle: verdict=verified outcomes=1
 */
#include "guest.h"

static void *volatile blocks[40];

int main(void)
{
	int n = 0;
	while (n < 40 && (blocks[n] = malloc(64 * 1024)))
		n++;
	CHECK(n == 40 || errno == ENOMEM);
	heddle_outcome(n == 40);
	CHECK(n > 4);
	free(blocks[--n]);
	free(blocks[--n]);
	blocks[n] = malloc(64 * 1024);
	CHECK(blocks[n] != NULL);
	return 0;
}
