/*
 * heap_canonical.c: two threads allocate and free at their own pace; the order does
 * not show in the state. Each thread takes three steps (start, two locks), so
 * whatever main does, two times four thread positions are all there is to see.
 *
 * heddle: verdict=verified outcomes=1 states<=40
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *body(void *arg)
{
	char *keep = strdup("kept over the step");
	for (int i = 0; i < 2; i++) {
		char *p = malloc(100 + 200 * i);
		pthread_mutex_lock(&lock);
		p = realloc(p, 1000);
		pthread_mutex_unlock(&lock);
		free(p);
	}
	CHECK(!strcmp(keep, "kept over the step"));
	free(keep);
	return arg;
}

int main(void)
{
	pthread_t a = spawn(body, NULL), b = spawn(body, NULL);
	join(a);
	join(b);
	heddle_outcome(1);
	return 0;
}
