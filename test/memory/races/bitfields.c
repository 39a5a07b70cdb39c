/*
 * bitfields.c: bit-fields of one word are one location: writing one writes its neighbours. gcc announces the
 * write only and then reads and writes in one instruction, so the lost update does not show; with clang it does.
 *
 * heddle: verdict=violation kind=race message~="flags"
 */
#include "guest.h"

static struct {
	unsigned a : 1, b : 1;
} flags;

static void *set_a(void *arg)
{
	flags.a = 1;
	return arg;
}

static void *set_b(void *arg)
{
	flags.b = 1;
	return arg;
}

int main(void)
{
	pthread_t a = spawn(set_a, NULL), b = spawn(set_b, NULL);

	join(a);
	join(b);
	heddle_outcome(flags.a * 2 + flags.b);
	return 0;
}
