/*
 * stack_deep.c: deep recursion and frames of 1 MB that fit are fine, with visible
 * operations at the bottom; what is left of the stack below does not make states differ.
 *
 * heddle: verdict=verified outcomes=4000 states<=40
 * build: -O0
 */
#include <alloca.h>

#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static int deep(int n)
{
	char frame[100];
	memset(frame, n, sizeof(frame));
	if (n == 0) {
		pthread_mutex_lock(&lock);
		sum += 2000;
		pthread_mutex_unlock(&lock);
		return 0;
	}
	return deep(n - 1) + (frame[50] != (char)n);
}

static void *body(void *arg)
{
	char *big = alloca(1 << 20);
	memset(big, 7, 1 << 20);
	CHECK(deep(2000) == 0);
	CHECK(big[12345] == 7);
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
