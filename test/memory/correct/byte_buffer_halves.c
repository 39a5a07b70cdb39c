/*
 * byte_buffer_halves.c: two threads fill the two parts of one buffer, which meet in the middle of a word.
 *
 * heddle: verdict=verified outcomes=1
 */
#include "guest.h"

static char buffer[16];

static void *front(void *arg)
{
	memset(buffer, 'f', 7);
	return arg;
}

static void *back(void *arg)
{
	memset(buffer + 7, 'b', 9);
	return arg;
}

int main(void)
{
	pthread_t a = spawn(front, NULL), b = spawn(back, NULL);

	join(a);
	join(b);
	heddle_outcome(!memcmp(buffer, "fffffffbbbbbbbbb", 16));
	return 0;
}
