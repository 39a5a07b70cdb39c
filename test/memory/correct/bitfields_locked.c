/*
 * bitfields_locked.c: bit-fields of one word are one location; a lock protects them all.
 *
 * heddle: verdict=verified outcomes=3
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	unsigned a : 1, b : 1;
} flags;

static void *body(void *arg)
{
	pthread_mutex_lock(&lock);
	if (arg)
		flags.a = 1;
	else
		flags.b = 1;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t a = spawn(body, &lock), b = spawn(body, NULL);

	join(a);
	join(b);
	heddle_outcome(flags.a * 2 + flags.b);
	return 0;
}
