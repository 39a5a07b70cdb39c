/*
 * use_after_free_write.c: a write to freed memory that has another owner already, in some schedules only;
 * in this program nobody looks at the damage.
 *
 * heddle: verdict=violation kind=crash|race
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *shared, gone;

static void *closer(void *arg)
{
	pthread_mutex_lock(&lock);
	gone = 1;
	free(shared);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	shared = malloc(32);
	CHECK(shared);
	pthread_t t = spawn(closer, NULL);
	pthread_mutex_lock(&lock);
	int there = !gone;
	pthread_mutex_unlock(&lock);
	if (there)
		shared[0] = 1; /* it was there a moment ago */
	join(t);
	return 0;
}
