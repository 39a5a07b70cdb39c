/* The flag is set after the thread that looks at it was waited for. */
#include <pthread.h>
#include <sched.h>

static volatile int stop;

static void *worker(void *arg)
{
	while (!stop)
		sched_yield();
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, worker, NULL);
	pthread_join(t, NULL);
	stop = 1;
	return 0;
}
