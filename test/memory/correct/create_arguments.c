/*
 * create_arguments.c: arguments on main's stack and in the heap, filled before the thread starts; the
 * thread answers in the same place, or frees it.
 *
 * heddle: verdict=verified outcomes=35
 */
#include "guest.h"

struct job {
	int in, out;
};

static void *square(void *arg)
{
	struct job *job = arg;

	job->out = job->in * job->in;
	return NULL;
}

static void *consume(void *arg)
{
	struct job *job = arg;
	long in = job->in;

	free(job);
	return (void *)in;
}

int main(void)
{
	struct job here = {.in = 5};
	struct job *there = malloc(sizeof *there);

	CHECK(there);
	there->in = 10;
	pthread_t a = spawn(square, &here), b = spawn(consume, there);
	join(a);
	long in = (long)join(b);
	heddle_outcome(here.out + in);
	return 0;
}
