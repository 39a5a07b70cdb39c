/*
 * time_sleep_order.c: sleeping is no synchronisation. A thread that slept 1 ms may be
 * held up until one that slept 5 ms is through: both orders are reached.
 *
 * heddle: verdict=verified outcomes=15,51
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int order;

static void *sleeper(void *arg)
{
	usleep((long)arg * 1000);
	pthread_mutex_lock(&lock);
	order = order * 10 + (int)(long)arg;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t a = spawn(sleeper, (void *)1), b = spawn(sleeper, (void *)5);
	join(a);
	join(b);
	heddle_outcome(order);
	return 0;
}
