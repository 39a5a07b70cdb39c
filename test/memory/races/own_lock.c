/*
 * own_lock.c: the mutex is a local variable, so everybody has one of their own.
 *
 * heddle: verdict=violation kind=race message~="total"
 */
#include "guest.h"

static int total;

static void *body(void *arg)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&lock);
	total++;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t a = spawn(body, NULL), b = spawn(body, NULL);

	join(a);
	join(b);
	return total == 0;
}
