/*
 * pairs.c: philosophers with a word of state each, which the neighbours look at. The two forks that a philosopher
 * holds are locks, one shared with each neighbour: no lock is common to all uses of the word. No access is a step.
 *
 * heddle: verdict=verified states=1302
 */
#include "guest.h"

#define N 5

static pthread_mutex_t fork_lock[N];
static int eats[N];

static void *philosopher(void *arg)
{
	int me = (int)(long)arg, next = (me + 1) % N;
	int low = me < next ? me : next, high = me < next ? next : me;

	pthread_mutex_lock(&fork_lock[low]);
	pthread_mutex_lock(&fork_lock[high]);
	eats[me] = 1;
	CHECK(!eats[next] && !eats[(me + N - 1) % N]);
	eats[me] = 0;
	pthread_mutex_unlock(&fork_lock[high]);
	pthread_mutex_unlock(&fork_lock[low]);
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	for (int i = 0; i < N; i++)
		OK(pthread_mutex_init(&fork_lock[i], NULL));
	for (long i = 0; i < N; i++)
		t[i] = spawn(philosopher, (void *)i);
	for (int i = 0; i < N; i++)
		OK(pthread_join(t[i], NULL));
	return 0;
}
