/*
 * Threads that make threads: which slot a thread gets depends on who was first, so ranks have to agree on that.
 * "spin": waits by yielding, which one rank alone can look at. "long": so many states that somebody can be killed.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

static pthread_mutex_t m[4];
int x[4];
static atomic_int flag;

static void *leaf(void *arg)
{
	long i = (long)arg;

	for (int k = 0; k < 2; k++) {
		pthread_mutex_lock(&m[i]);
		x[i]++;
		pthread_mutex_unlock(&m[i]);
		pthread_mutex_lock(&m[i + 1]);
		x[i + 1]++;
		pthread_mutex_unlock(&m[i + 1]);
	}
	return NULL;
}

static void *middle(void *arg)
{
	pthread_t t;

	pthread_mutex_lock(&m[0]);
	x[0]++;
	pthread_mutex_unlock(&m[0]);
	pthread_create(&t, NULL, leaf, arg);
	pthread_mutex_lock(&m[1]);
	x[1]++;
	pthread_mutex_unlock(&m[1]);
	pthread_join(t, NULL);
	return NULL;
}

static void *spin(void *arg)
{
	while (!flag)
		sched_yield();
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[3];

	if (argc > 1 && !strcmp(argv[1], "spin")) {
		pthread_create(&t[0], NULL, spin, NULL);
		atomic_fetch_add(&flag, 1);
		pthread_join(t[0], NULL);
		return 0;
	}
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, i < 2 ? middle : leaf, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
