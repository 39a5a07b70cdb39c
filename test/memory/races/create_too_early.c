/*
 * create_too_early.c: the thread is started before its argument is complete.
 *
 * heddle: verdict=violation kind=race message~="(?i)job|stack|main"
 */
#include "guest.h"

struct job {
	int a, b;
};

static void *body(void *arg)
{
	struct job *job = arg;

	return (void *)(long)(job->a + job->b);
}

int main(void)
{
	struct job job = {.a = 1};
	pthread_t t = spawn(body, &job);

	job.b = 2;
	heddle_outcome((long)join(t));
	return 0;
}
