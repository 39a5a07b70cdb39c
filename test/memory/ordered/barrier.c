/*
 * barrier.c: in each phase everybody writes one word and reads the neighbours' of the phase before; only a barrier
 * lies between. No access is a step.
 *
 * heddle: verdict=verified states=190
 */
#include "guest.h"

#define N 4
#define PHASES 2

static pthread_barrier_t barrier;
static int cell[2][N];

static void *body(void *arg)
{
	int me = (int)(long)arg;

	for (int p = 0; p < PHASES; p++) {
		const int *old = cell[p % 2];
		cell[(p + 1) % 2][me] = old[(me + 1) % N] + old[(me + N - 1) % N] + 1;
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	OK(pthread_barrier_init(&barrier, NULL, N));
	for (long i = 0; i < N; i++)
		t[i] = spawn(body, (void *)i);
	for (int i = 0; i < N; i++)
		OK(pthread_join(t[i], NULL));
	for (int i = 0; i < N; i++)
		CHECK(cell[PHASES % 2][i] == 3);
	return 0;
}
