/*
 * Dining philosophers: each fork is a mutex. Everybody takes the fork with the
 * lower number first, so no circle of waiting can close. The fault: everybody
 * takes the left fork first.
 *
 *     philosophers [PHILOSOPHERS [ROUNDS]]
 */
#include "../common.h"

#define MAX_PHILOSOPHERS 32

static int philosophers;
static int rounds;
static pthread_mutex_t fork_lock[MAX_PHILOSOPHERS];
/* Who has fork i: 0 nobody, else 1 + philosopher. Protected by fork_lock[i]. */
static int holder[MAX_PHILOSOPHERS];

static int fork_is_with_a_neighbour(int f)
{
	int left_neighbour = (f + philosophers - 1) % philosophers;

	return holder[f] == 0 || holder[f] == 1 + f || holder[f] == 1 + left_neighbour;
}

/* Every fork lies on the table or is in the hand of one of its two neighbours. */
int inv_forks(void)
{
	for (int f = 0; f < philosophers; f++)
		if (!fork_is_with_a_neighbour(f))
			return 0;
	return 1;
}

static void take(int f, int me)
{
	pthread_mutex_lock(&fork_lock[f]);
	assert(holder[f] == 0);
	holder[f] = 1 + me;
	/* Only this fork's part of the invariant may be read under this fork's lock. */
	INVARIANT(fork_is_with_a_neighbour(f));
}

static void put_back(int f)
{
	holder[f] = 0;
	pthread_mutex_unlock(&fork_lock[f]);
}

static void *philosopher(void *arg)
{
	int me = (int)(long)arg;
	int first = me, second = (me + 1) % philosophers;

	if (!FAULT && first > second) {
		first = second;
		second = me;
	}
	for (int round = 0; round < rounds; round++) {
		take(first, me);
		take(second, me);
		assert(holder[first] == 1 + me && holder[second] == 1 + me);
		put_back(second);
		put_back(first);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MAX_PHILOSOPHERS];

	philosophers = scc_arg(argc, argv, 1, 8, 2, MAX_PHILOSOPHERS);
	rounds = scc_arg(argc, argv, 2, 1, 1, 100);
	for (int f = 0; f < philosophers; f++)
		pthread_mutex_init(&fork_lock[f], NULL);
	scc_start_all(threads, philosophers, philosopher);
	scc_join_all(threads, philosophers);
	INVARIANT(inv_forks());
	printf("%d philosophers have eaten %d times\n", philosophers, rounds);
	return 0;
}
