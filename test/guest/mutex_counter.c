/*
 * mutex_counter.c: two threads add under a lock, twice each; printf, sprintf and
 * malloc inside the critical section leave no trace in the state.
 *
 * heddle: verdict=verified outcomes=4
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *body(void *arg)
{
	for (int i = 0; i < 2; i++) {
		char *text = malloc(50);
		pthread_mutex_lock(&lock);
		sprintf(text, "%d", ++sum);
		printf("%s\n", text);
		pthread_mutex_unlock(&lock);
		free(text);
	}
	return arg;
}

int main(void)
{
	pthread_t a = spawn(body, NULL), b = spawn(body, NULL);
	join(a);
	join(b);
	heddle_outcome(sum);
	return 0;
}
