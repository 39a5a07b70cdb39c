/*
 * cleanup_handlers.c: handlers run last-in-first-out at pthread_exit, pop(1) runs
 * one, pop(0) forgets one, and all of them come before the destructors of keys.
 *
 * heddle: verdict=verified outcomes=1329
 */
#include "guest.h"

static long story_told;
static pthread_key_t key;

static void tell(void *digit)
{
	story_told = story_told * 10 + (long)digit;
}

static void *body(void *arg)
{
	(void)arg;
	OK(pthread_setspecific(key, (void *)9));
	pthread_cleanup_push(tell, (void *)2);
	pthread_cleanup_push(tell, (void *)1);
	pthread_cleanup_pop(1);
	pthread_cleanup_push(tell, (void *)8);
	pthread_cleanup_pop(0);
	pthread_cleanup_push(tell, (void *)3);
	pthread_exit(NULL);
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void)
{
	OK(pthread_key_create(&key, tell));
	join(spawn(body, NULL));
	heddle_outcome(story_told);
	return 0;
}
