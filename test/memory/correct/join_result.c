/*
 * join_result.c: what a thread wrote may be read after its join, and written by the next thread.
 *
 * heddle: verdict=verified outcomes=111
 */
#include "guest.h"

static int total;

static void *add(void *arg)
{
	total += (int)(long)arg;
	return NULL;
}

int main(void)
{
	add((void *)1);
	pthread_t a = spawn(add, (void *)10);
	join(a);
	CHECK(total == 11);
	pthread_t b = spawn(add, (void *)100);
	join(b);
	heddle_outcome(total);
	return 0;
}
