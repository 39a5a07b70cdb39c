/* The first item is signalled, and taken, before the consumer waits for a second; nobody tells the producer. */
#include <pthread.h>

static struct ring {
	pthread_mutex_t m;
	pthread_cond_t not_full, not_empty;
	int n;
} r = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};

static void *put(void *arg)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&r.m);
		while (r.n == 1)
			pthread_cond_wait(&r.not_full, &r.m);
		r.n++;
		pthread_cond_signal(&r.not_empty);
		pthread_mutex_unlock(&r.m);
	}
	return arg;
}

static void *get(void *arg)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&r.m);
		while (r.n == 0)
			pthread_cond_wait(&r.not_empty, &r.m);
		r.n--; /* and no signal of not_full */
		pthread_mutex_unlock(&r.m);
	}
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, put, NULL);
	pthread_create(&t[1], NULL, get, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
