/*
 * thread_exit_value.c: pthread_exit from a nested call ends only its thread and its
 * value reaches join; joining oneself is EDEADLK.
 *
 * heddle: verdict=verified outcomes=42
 */
#include "guest.h"

static int after;

static void nested(int depth)
{
	if (depth == 0)
		pthread_exit((void *)42);
	if (depth > 0)
		nested(depth - 1);
	after++;
}

static void *body(void *arg)
{
	(void)arg;
	CHECK(pthread_join(pthread_self(), NULL) == EDEADLK);
	nested(5);
	abort();
}

int main(void)
{
	heddle_outcome((long)join(spawn(body, NULL)));
	return 0;
}
