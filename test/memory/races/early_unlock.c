/*
 * early_unlock.c: the value is read once more, after the unlock.
 *
 * heddle: verdict=violation kind=race message~="value"
 * heddle: verdict=verified options="--races ignore" outcomes=1,2
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static int add(void)
{
	pthread_mutex_lock(&lock);
	value++;
	pthread_mutex_unlock(&lock);
	return value;
}

static void *body(void *arg)
{
	add();
	return arg;
}

int main(void)
{
	pthread_t t = spawn(body, NULL);
	int seen = add();

	join(t);
	heddle_outcome(seen);
	return 0;
}
