/*
 * philosophers.c: dining philosophers who take the lower fork first, with malloc and
 * printf. States and transitions are those of the abstract model, exactly (test/models
 * computes them); the greedy ones, who all take the left fork first, starve.
 *
 * heddle: verdict=verified args=4 states=326 transitions=906
 * heddle: verdict=verified args=5 states=1302 transitions=4517
 * heddle: verdict=verified args=6 states=5206 transitions=21645 options="--strategy bfs"
 * heddle: verdict=violation kind=deadlock args="4 greedy" message~="(?i)held by"
 * heddle: verdict=violation kind=deadlock args="4 greedy" options="--strategy pct --seed 1"
 * heddle: verdict=violation kind=deadlock args="3 greedy" options="--strategy random --seed 1"
 * native: args=5
 */
#include "guest.h"

static int n, greedy, meals;
static pthread_mutex_t fork_lock[16];

static void *philosopher(void *arg)
{
	int left = (int)(long)arg, right = (left + 1) % n;
	int first = greedy || left < right ? left : right, second = left + right - first;
	char *thought = malloc(100);
	snprintf(thought, 100, "philosopher %d eats", left);
	pthread_mutex_lock(&fork_lock[first]);
	pthread_mutex_lock(&fork_lock[second]);
	meals++;
	pthread_mutex_unlock(&fork_lock[second]);
	pthread_mutex_unlock(&fork_lock[first]);
	puts(thought);
	free(thought);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[16];
	n = argc > 1 ? atoi(argv[1]) : 3;
	greedy = argc > 2;
	for (int i = 0; i < n; i++)
		OK(pthread_mutex_init(&fork_lock[i], NULL));
	for (long i = 0; i < n; i++)
		t[i] = spawn(philosopher, (void *)i);
	for (int i = 0; i < n; i++)
		join(t[i]);
	return 0;
}
