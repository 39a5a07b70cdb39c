/*
 * join.c: jobs that are written before their threads are made, while others run already, and read after the join.
 * No access is a step; with reduction the threads are as independent as without instrumentation.
 *
 * heddle: verdict=verified states=342
 * heddle: verdict=verified options="--por on" states<=20
 */
#include "guest.h"

#define N 4
#define WORDS 64

static struct job {
	int in, out[WORDS];
	pthread_mutex_t own;
} job[N];

static void *body(void *arg)
{
	struct job *j = arg;

	for (int round = 0; round < 2; round++) {
		pthread_mutex_lock(&j->own);
		for (int i = 0; i < WORDS; i++)
			j->out[i] += j->in + i;
		pthread_mutex_unlock(&j->own);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	for (int i = 0; i < N; i++) {
		OK(pthread_mutex_init(&job[i].own, NULL));
		job[i].in = i;
		t[i] = spawn(body, &job[i]);
	}
	for (int i = 0; i < N; i++) {
		OK(pthread_join(t[i], NULL));
		for (int k = 0; k < WORDS; k++)
			CHECK(job[i].out[k] == 2 * (i + k));
	}
	return 0;
}
