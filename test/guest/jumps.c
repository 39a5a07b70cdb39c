/*
 * jumps.c: setjmp and longjmp over frames with visible operations, in two threads.
 *
 * heddle: verdict=verified outcomes=20
 */
#include <setjmp.h>

#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void down(jmp_buf env, int n)
{
	pthread_mutex_lock(&lock);
	sum += n;
	pthread_mutex_unlock(&lock);
	if (n >= 4)
		longjmp(env, n);
	if (n < 4)
		down(env, n + 1);
	sum = -1000;
}

static void *body(void *arg)
{
	jmp_buf env;
	if (setjmp(env) == 0)
		down(env, 1);
	return arg;
}

int main(void)
{
	pthread_t a = spawn(body, NULL), b = spawn(body, NULL);
	join(a);
	join(b);
	heddle_outcome(sum);
	return 0;
}
