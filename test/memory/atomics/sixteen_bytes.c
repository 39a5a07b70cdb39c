/*
 * sixteen_bytes.c: a pair of words is read and swapped in one operation.
 *
 * heddle: verdict=verified outcomes=22
 * build: -mcx16
 */
#include "guest.h"

typedef unsigned __int128 pair;

static pair shared;

static void *body(void *arg)
{
	pair seen = __sync_val_compare_and_swap(&shared, 0, 0), wanted, found;
	const pair one_each = ((pair)1 << 64) + 1;

	for (;;) {
		CHECK((unsigned long)seen == (unsigned long)(seen >> 64));
		wanted = seen + one_each;
		found = __sync_val_compare_and_swap(&shared, seen, wanted);
		if (found == seen)
			return arg;
		seen = found;
	}
}

int main(void)
{
	pthread_t a = spawn(body, NULL), b = spawn(body, NULL);

	join(a);
	join(b);
	heddle_outcome((long)(shared >> 64) * 10 + (long)(unsigned long)shared);
	return 0;
}
