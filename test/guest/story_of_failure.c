/*
 * story_of_failure.c: the report says of the thread whose assertion fails that it fails, not that it
 * has ended, and of one that never ran that it has not started.
 *
 * heddle: verdict=violation kind=assert text~="now: fails.*has not started yet" options="--strategy bfs"
 * native: any
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int late;

static void *body(void *arg)
{
	pthread_mutex_lock(&lock);
	late = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	spawn(body, NULL);
	pthread_mutex_lock(&lock);
	CHECK(late);
	return 0;
}
