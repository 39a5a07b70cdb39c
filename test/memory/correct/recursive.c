/*
 * recursive.c: a recursive mutex protects until its last unlock.
 *
 * heddle: verdict=verified outcomes=4
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int counter;

static void add(void)
{
	pthread_mutex_lock(&lock);
	counter++;
	pthread_mutex_unlock(&lock);
}

static void *body(void *arg)
{
	pthread_mutex_lock(&lock);
	add();
	counter++;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(body, NULL);

	body(NULL);
	join(t);
	heddle_outcome(counter);
	return 0;
}
