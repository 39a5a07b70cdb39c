/*
 * heap_misuse.c: freeing twice, freeing what never came from malloc, freeing the
 * middle of a block, and resizing a freed block are violations, told with their place.
 *
 * heddle: verdict=violation kind=abort|crash args=double where=@double message~="(?i)free"
 * heddle: verdict=violation kind=abort|crash args=stack where=@stack message~="(?i)free"
 * heddle: verdict=violation kind=abort|crash args=middle where=@middle message~="(?i)free"
 * heddle: verdict=violation kind=abort|crash args=realloc where=@realloc message~="(?i)free|realloc"
 * heddle: verdict=violation kind=abort|crash args=race message~="(?i)free"
 * native: args=double signal=ABRT
 * native: args=stack signal=ABRT
 * native: args=middle signal=ABRT
 * native: args=race any
 * build: -Wno-free-nonheap-object -Wno-use-after-free -O0
 */
#include "guest.h"

static char *shared;

static void *freer(void *arg)
{
	char *mine = shared;
	sched_yield();
	shared = NULL;
	free(mine);
	return arg;
}

int main(int argc, char **argv)
{
	char local[100];
	char *p = malloc(1000);
	if (story(argc, argv, "double")) {
		free(p);
		free(p); /* @double */
	} else if (story(argc, argv, "stack")) {
		free(local + 16); /* @stack */
	} else if (story(argc, argv, "middle")) {
		free(p + 32); /* @middle */
	} else if (story(argc, argv, "realloc")) {
		free(p);
		p = realloc(p, 2000); /* @realloc */
	} else if (story(argc, argv, "race")) {
		shared = p;
		pthread_t t = spawn(freer, NULL);
		freer(NULL);
		join(t);
	}
	return 0;
}
