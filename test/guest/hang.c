/*
 * hang.c: a loop that waits for another thread without ever giving it a chance: one
 * transition that does not end.
 *
 * heddle: verdict=violation kind=hang options="--hang-time 1" where=@loop message~="heddle cc"
 * heddle: verdict=bounded options="--max-time 1" text~="the limit of 1 s"
 * native: any
 */
#include <stdatomic.h>

#include "guest.h"

static atomic_int flag;

static void *body(void *arg)
{
	while (!flag) /* @loop */
		;
	return arg;
}

int main(void)
{
	pthread_t t = spawn(body, NULL);
	sched_yield();
	flag = 1;
	join(t);
	return 0;
}
