/*
 * join_chain.c: main joins b, and b has joined a: what a wrote is main's to read.
 *
 * heddle: verdict=verified outcomes=5
 */
#include "guest.h"

static int value;
static pthread_t first;

static void *a(void *arg)
{
	value = 5;
	return arg;
}

static void *b(void *arg)
{
	join(first);
	return arg;
}

int main(void)
{
	first = spawn(a, NULL);
	pthread_t second = spawn(b, NULL);
	join(second);
	heddle_outcome(value);
	return 0;
}
