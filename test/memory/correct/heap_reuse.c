/*
 * heap_reuse.c: a block that one thread freed is another block when it is allocated again; its users
 * before and after don't race.
 *
 * heddle: verdict=verified outcomes=2
 */
#include "guest.h"

static void *body(void *arg)
{
	for (int i = 0; i < 2; i++) {
		int *p = malloc(64);
		CHECK(p);
		p[0] = i;
		p[15] = i;
		CHECK(p[0] == p[15]);
		free(p);
	}
	/* The parent's block: freed here, and free for the parent to get again. */
	free(arg);
	return NULL;
}

int main(void)
{
	int *p = malloc(64), *q = malloc(64);

	CHECK(p && q);
	p[3] = 1;
	q[3] = 1;
	pthread_t a = spawn(body, p), b = spawn(body, q);
	int *r = malloc(64);
	CHECK(r);
	r[3] = 2;
	join(a);
	join(b);
	int *s = malloc(64);
	CHECK(s);
	s[3] = r[3];
	heddle_outcome(s[3]);
	free(r);
	free(s);
	return 0;
}
