/* Two threads count for ever: no state comes twice. */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long n;

static void *count(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&m);
		n++;
		pthread_mutex_unlock(&m);
	}
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, count, NULL);
	pthread_create(&b, NULL, count, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
