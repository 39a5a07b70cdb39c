/* A loop without a visible operation: the step never ends. */
#include <pthread.h>

static volatile int go;

int main(void)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&lock);
	while (!go)
		;
	return 0;
}
