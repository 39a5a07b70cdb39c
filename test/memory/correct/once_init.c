/*
 * once_init.c: set up by pthread_once, read by all without a lock.
 *
 * heddle: verdict=verified outcomes=33
 */
#include "guest.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int table[2];

static void set_up(void)
{
	table[0] += 1;
	table[1] += 2;
}

static void *body(void *arg)
{
	pthread_once(&once, set_up);
	*(int *)arg = table[0] + table[1];
	return NULL;
}

int main(void)
{
	int seen[2];
	pthread_t t = spawn(body, &seen[0]);

	body(&seen[1]);
	join(t);
	heddle_outcome(seen[0] * 10 + seen[1]);
	return 0;
}
