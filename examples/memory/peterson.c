/*
 * Peterson's algorithm: mutual exclusion of two threads with three variables.
 * The fault: a thread looks first and says that it wants to enter afterwards,
 * so both may look before either has said so.
 */
#include "common.h"

#define ROUNDS 2

static atomic_int wants[2], turn;
static int inside; /* plain: the algorithm protects it */

static void enter(int me)
{
	int other = 1 - me;

	if (!FAULT)
		atomic_store(&wants[me], 1);
	atomic_store(&turn, other);
	while (atomic_load(&wants[other]) && atomic_load(&turn) == other)
		;
	if (FAULT)
		atomic_store(&wants[me], 1);
}

static void leave(int me)
{
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
