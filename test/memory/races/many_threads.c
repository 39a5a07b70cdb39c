/*
 * many_threads.c: a race between two of many threads, the n-th and the m-th, while all others wait for ever. Numbers
 * of threads must not be confused, however many there are.
 *
 * heddle: args="511 1023" verdict=violation kind=race message~="shared"
 * heddle: args="1 1000" verdict=violation kind=race message~="shared"
 * native: args="5 10"
 */
#include "guest.h"

static sem_t here, go, start;
static int shared;

static void *waiting(void *arg)
{
	OK(sem_post(&here));
	OK(sem_wait(&go));
	return arg;
}

static void *racing(void *arg)
{
	OK(sem_post(&here));
	OK(sem_wait(&start));
	shared++;
	return arg;
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[1]) : 1, m = argc > 2 ? atoi(argv[2]) : 2;
	pthread_t one = 0, other = 0;

	OK(sem_init(&here, 0, 0));
	OK(sem_init(&go, 0, 0));
	OK(sem_init(&start, 0, 0));
	for (int i = 1; i <= m; i++) {
		pthread_t t = spawn(i == n || i == m ? racing : waiting, NULL);
		OK(sem_wait(&here));
		one = i == n ? t : one;
		other = i == m ? t : other;
	}
	OK(sem_post(&start));
	OK(sem_post(&start));
	join(one);
	join(other);
	exit(0);
}
