/*
 * stack_shared.c: a thread lends its local variables to a thread that it starts, and takes them
 * back with the join; twice in the same frame, and in another frame at the same depth.
 *
 * heddle: verdict=verified outcomes=66
 */
#include "guest.h"

static void *add_one(void *arg)
{
	++*(int *)arg;
	return NULL;
}

static __attribute__((noinline)) int lend(int value)
{
	int local = value;
	join(spawn(add_one, &local));
	local *= 2;
	join(spawn(add_one, &local));
	return local;
}

static void *parent(void *arg)
{
	*(int *)arg = lend((int)(long)*(int *)arg);
	return NULL;
}

int main(void)
{
	int a = 1, b = 10;
	pthread_t s = spawn(parent, &a), t = spawn(parent, &b);

	join(s);
	join(t);
	CHECK(a == 5 && b == 23);
	heddle_outcome(lend(a) + lend(b) + a - 1);
	return 0;
}
