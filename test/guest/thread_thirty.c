/*
 * thread_thirty.c: thirty threads alive at once. Each says that it is there before
 * the next one starts and then waits for its turn, so there is one schedule only.
 *
 * heddle: verdict=verified outcomes=30 states<=400
 */
#include "guest.h"

enum { N = 30 };
static sem_t here, turn[N + 1];
static int order;

static void *body(void *arg)
{
	long i = (long)arg;
	sem_post(&here);
	sem_wait(&turn[i]);
	CHECK(order++ == i);
	sem_post(&turn[i + 1]);
	return NULL;
}

int main(void)
{
	pthread_t t[N];
	sem_init(&here, 0, 0);
	for (int i = 0; i <= N; i++)
		sem_init(&turn[i], 0, 0);
	for (long i = 0; i < N; i++) {
		t[i] = spawn(body, (void *)i);
		sem_wait(&here);
	}
	sem_post(&turn[0]);
	sem_wait(&turn[N]);
	for (int i = 0; i < N; i++)
		join(t[i]);
	heddle_outcome(order);
	return 0;
}
