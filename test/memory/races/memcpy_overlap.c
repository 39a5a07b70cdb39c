/*
 * memcpy_overlap.c: two copies touch in one byte only.
 *
 * heddle: verdict=violation kind=race message~="shared" args=12
 * heddle: verdict=verified args=11
 * native: args=12
 */
#include "guest.h"

static char shared[32], source[32];

static void *body(void *arg)
{
	memcpy(shared, source, (size_t)atoi(arg));
	return NULL;
}

int main(int argc, char **argv)
{
	char target[16];

	if (argc < 2)
		return 2;
	pthread_t t = spawn(body, argv[1]);
	memcpy(target, shared + 11, sizeof target);
	join(t);
	heddle_outcome(target[0]);
	return 0;
}
