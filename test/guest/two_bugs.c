/*
 * two_bugs.c: with --keep-going the search goes on behind a violation and collects them,
 * distinct by kind and place; the healthy executions are explored as well.
 *
 * heddle: verdict=violation violations#=3 options="--keep-going" outcomes=0,1
 * heddle: verdict=violation violations#=3 options="--keep-going --strategy bfs" outcomes=0,1
 * heddle: verdict=violation violations#=1
 */
#include <assert.h>

#include "guest.h"

static void *body(void *arg)
{
	unsigned which = heddle_choose(4);
	assert(which != 1);
	assert(which != 2);
	if (which == 3)
		abort();
	return arg;
}

int main(void)
{
	join(spawn(body, NULL));
	heddle_outcome((long)heddle_choose(2));
	return 0;
}
