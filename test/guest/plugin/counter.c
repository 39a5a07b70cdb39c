/*
 * counter.c: a shared library with state of every kind: data, thread-local data, heap; and with a beginning and an end.
 */
#include <stdlib.h>

static int count;
static __thread int mine = 5;
static char *buffer;

__attribute__((constructor)) static void begin(void)
{
	buffer = malloc(100);
	buffer[0] = 0;
}

__attribute__((destructor)) static void end(void)
{
	free(buffer);
}

int counter_next(void)
{
	return mine++ * 100 + ++count * 10 + ++buffer[0];
}
