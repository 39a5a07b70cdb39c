// Who arrives last at a barrier is its serial thread.
// plant: memory * *
// names: memory|barrier
#include "audit.h"
static pthread_barrier_t b;
static int serial[2];
static void init(void)
{
	pthread_barrier_init(&b, NULL, 2);
}
static void first(void)
{
	serial[0] = pthread_barrier_wait(&b) != 0;
}
static void second(void)
{
	serial[1] = pthread_barrier_wait(&b) != 0;
}
PROGRAM_AFTER(init, first, second)
