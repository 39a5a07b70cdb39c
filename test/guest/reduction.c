/*
 * reduction.c: what the reduction leaves out, and what it must not.
 * independent N M: N threads, M times a lock of their own: states linear in N * M.
 * users N: N philosophers; each fork records who used it first: 2^N - 2 ends: each of the
 * two neighbours of a fork can be the first, but never all the left or all the right ones.
 * frees N M: the same, and each gives back a block of the first thread's in each round; so does that one.
 * keys N M: the same, and each sets its value of a key in each round, while the first thread makes other keys.
 * alive N M: independent, but the program ends before its threads have, at any moment.
 * late N M: so it does, but its threads fail in the end.
 *
 * heddle: args="frees 4 3" options="--por on" verdict=verified states<=60
 * heddle: args="keys 4 3" options="--por on" verdict=verified states<=60
 * heddle: args="alive 4 4" options="--por on" verdict=verified states<=80
 * heddle: args="late 3 3" options="--por on" verdict=violation kind=assert
 * heddle: args="independent 16 8" options="--por on" verdict=verified states<=320
 * heddle: args="independent 8 32" options="--por on" verdict=verified states<=520
 * heddle: args="independent 3 2" verdict=verified states=86
 * heddle: args="users 3" options="--por on" verdict=verified outcomes#=6 states<=100
 * heddle: args="users 5" options="--por on" verdict=verified outcomes#=30 states<=1000
 * heddle: args="users 4" verdict=verified outcomes#=14
 * heddle: args="users 6" options="--por on" verdict=verified outcomes#=62
 * heddle: args="users 7" options="--por on" verdict=verified outcomes#=126
 * native: args="independent 4 4"
 * native: args="users 4"
 */
#include "guest.h"

#define MOST 16

static long threads, rounds;
static int frees, sets, fails;
static void *block[17][16]; /* of each thread; the last are those of the first one itself */
static pthread_key_t key;
static pthread_mutex_t lock[MOST + 1];
static int used[MOST]; /* independent: how often; users: by whom first */

static void *independent(void *arg)
{
	long me = (long)arg;
	for (long i = 0; i < rounds; i++) {
		OK(pthread_mutex_lock(&lock[me]));
		used[me]++;
		if (frees)
			free(block[me][i]);
		if (sets)
			OK(pthread_setspecific(key, &used[me]));
		OK(pthread_mutex_unlock(&lock[me]));
	}
	CHECK(!fails);
	return NULL;
}

/* What the first thread does meanwhile. */
static void beside(void)
{
	pthread_key_t another;
	for (long i = 0; i < rounds; i++) {
		OK(pthread_mutex_lock(&lock[MOST]));
		if (frees)
			free(block[MOST][i]);
		if (sets)
			OK(pthread_key_create(&another, NULL));
		OK(pthread_mutex_unlock(&lock[MOST]));
	}
}

static void take(long fork, int who)
{
	OK(pthread_mutex_lock(&lock[fork]));
	if (!used[fork])
		used[fork] = who;
}

static void *user(void *arg)
{
	long me = (long)arg, next = (me + 1) % threads, low = me < next ? me : next, high = me + next - low;
	take(low, (int)me + 1);
	take(high, (int)me + 1);
	OK(pthread_mutex_unlock(&lock[low]));
	OK(pthread_mutex_unlock(&lock[high]));
	return NULL;
}

int main(int argc, char **argv)
{
	int users = story(argc, argv, "users");
	frees = story(argc, argv, "frees");
	sets = story(argc, argv, "keys");
	fails = story(argc, argv, "late");
	threads = atol(argv[2]);
	rounds = users ? 0 : atol(argv[3]);
	CHECK(threads <= MOST && (!frees || rounds <= 16));
	pthread_t t[MOST];
	for (long i = 0; i <= MOST; i++)
		OK(pthread_mutex_init(&lock[i], NULL));
	for (long i = 0; frees && i <= MOST; i++)
		for (long j = 0; j < rounds; j++)
			CHECK((block[i][j] = malloc(32)) != NULL);
	if (sets)
		OK(pthread_key_create(&key, NULL));
	for (long i = 0; i < threads; i++)
		t[i] = spawn(users ? user : independent, (void *)i);
	if (fails || story(argc, argv, "alive"))
		return 0;
	if (frees || sets)
		beside();
	for (long i = 0; i < threads; i++)
		join(t[i]);
	long ends = 0;
	for (long i = 0; i < threads; i++) {
		CHECK(used[i] == rounds || users);
		ends = ends * 2 + (used[i] == i + 1);
	}
	if (users)
		heddle_outcome(ends);
	return 0;
}
