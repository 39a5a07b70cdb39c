/*
 * adjacent_bytes.c: bytes and shorts side by side in one word are different locations; every
 * thread writes its own, and bit-fields with a gap of width zero between them as well.
 *
 * heddle: verdict=verified outcomes=123445
 */
#include "guest.h"

static struct {
	char a, b;
	short c;
	unsigned d : 4;
	unsigned : 0;
	unsigned e : 4;
} s;

static void *first(void *arg)
{
	s.a = 1;
	s.c = 3;
	s.d = 4;
	s.a++;
	s.a--;
	return arg;
}

static void *second(void *arg)
{
	s.b = 1;
	s.e = 5;
	s.b++;
	return arg;
}

int main(void)
{
	pthread_t a = spawn(first, NULL), b = spawn(second, NULL);

	join(a);
	join(b);
	heddle_outcome(s.a * 100000 + s.b * 10000 + s.c * 1000 + s.d * 100 + s.d * 10 + s.e);
	return 0;
}
