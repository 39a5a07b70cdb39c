/* A wait gives up its own mutex, not the one around it: whoever would wake it up can't get in. */
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER;
static sem_t items;

static void *get(void *arg)
{
	pthread_mutex_lock(&outer);
	sem_wait(&items);
	pthread_mutex_unlock(&outer);
	return arg;
}

static void *put(void *arg)
{
	pthread_mutex_lock(&outer);
	sem_post(&items);
	pthread_mutex_unlock(&outer);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	sem_init(&items, 0, 0);
	pthread_create(&a, NULL, get, NULL);
	pthread_create(&b, NULL, put, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
