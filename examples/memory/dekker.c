/*
 * Dekker's algorithm, the first for mutual exclusion of two threads: who wants
 * to enter raises a flag; if both do, the one whose turn it is not steps back
 * and raises it again later. The fault: it forgets to raise it again.
 */
#include "common.h"

#define ROUNDS 2

static atomic_int wants[2], turn;
static int inside; /* plain: the algorithm protects it */

static void step_back(int me)
{
	atomic_store(&wants[me], 0);
	while (atomic_load(&turn) != me)
		;
	if (!FAULT)
		atomic_store(&wants[me], 1);
}

static void enter(int me)
{
	int other = 1 - me;

	atomic_store(&wants[me], 1);
	while (atomic_load(&wants[other]))
		if (atomic_load(&turn) == other)
			step_back(me);
}

static void leave(int me)
{
	atomic_store(&turn, 1 - me);
	atomic_store(&wants[me], 0);
}

static void *body(void *arg)
{
	int me = (int)(long)arg;

	for (int round = 0; round < ROUNDS; round++) {
		enter(me);
		inside++;
		assert(inside == 1);
		inside--;
		leave(me);
	}
	return NULL;
}

int main(void)
{
	pthread_t a = start(body, (void *)0), b = start(body, (void *)1);

	finish(a);
	finish(b);
	return 0;
}
