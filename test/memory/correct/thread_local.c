/*
 * thread_local.c: thread-local variables, also through pointers and in a helper: nobody else's.
 *
 * heddle: verdict=verified outcomes=12 states<=30
 */
#include "guest.h"

static __thread int mine[4];
static pthread_key_t key;

static __attribute__((noinline)) void fill(int *p, int value)
{
	for (int i = 0; i < 4; i++)
		p[i] = value;
}

static void *body(void *arg)
{
	fill(mine, (int)(long)arg);
	OK(pthread_setspecific(key, mine));
	int *p = pthread_getspecific(key);
	return (void *)(long)(p[0] + p[1] + p[2] + p[3]);
}

int main(void)
{
	OK(pthread_key_create(&key, NULL));
	pthread_t a = spawn(body, (void *)1), b = spawn(body, (void *)2);
	long sum = (long)join(a) + (long)join(b);
	CHECK(mine[0] == 0);
	heddle_outcome(sum);
	return 0;
}
