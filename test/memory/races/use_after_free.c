/*
 * use_after_free.c: a thread reads a block that another one frees, without a word between them.
 *
 * heddle: verdict=violation kind=crash|race
 * heddle: verdict=violation kind=crash options="--races ignore" message~="(?i)free"
 */
#include "guest.h"

static void *body(void *arg)
{
	int *p = arg;

	if (p[1] == 5)
		heddle_outcome(1);
	return NULL;
}

int main(void)
{
	int *p = calloc(4, sizeof *p);

	CHECK(p);
	p[1] = 5;
	pthread_t t = spawn(body, p);
	free(p);
	join(t);
	return 0;
}
