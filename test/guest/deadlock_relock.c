/*
 * deadlock_relock.c: a thread locks its own normal mutex again and waits for itself,
 * for ever.
 *
 * heddle: verdict=violation kind=deadlock message~="(?i)mutex" text~="{@relock}"
 * native: skip
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void inner(void)
{
	pthread_mutex_lock(&lock); /* @relock */
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	pthread_mutex_lock(&lock);
	inner();
	pthread_mutex_unlock(&lock);
	return 0;
}
