/*
 * heap_cross_free.c: blocks travel: allocated by one thread, grown by another, freed
 * by a third, after their first owner has ended.
 *
 * heddle: verdict=verified outcomes=3000
 */
#include "guest.h"

static void *maker(void *arg)
{
	char *p = malloc((size_t)(long)arg);
	memset(p, 3, (size_t)(long)arg);
	return p;
}

static void *grower(void *p)
{
	char *q = realloc(p, 5000);
	memset(q + 1000, 3, 4000);
	return q;
}

static void *counter(void *p)
{
	long sum = 0;
	for (int i = 0; i < 1000; i++)
		sum += ((char *)p)[i];
	free(p);
	return (void *)sum;
}

int main(void)
{
	pthread_t a = spawn(maker, (void *)1000), b = spawn(maker, (void *)2000);
	void *p = join(a), *q = join(b);
	p = join(spawn(grower, p));
	pthread_t c = spawn(counter, p), d = spawn(counter, q);
	long x = (long)join(c), y = (long)join(d);
	CHECK(x == y);
	heddle_outcome(x);
	return 0;
}
