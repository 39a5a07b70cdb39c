/*
 * model_readers.c: readers share a rwlock (a yield inside makes being there a state of its own),
 * writers count in it; models.py has the counts.
 */
#include "guest.h"

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static int rounds, value;

static void *reader(void *arg)
{
	for (int i = 0; i < rounds; i++) {
		pthread_rwlock_rdlock(&rw);
		sched_yield();
		char *text = malloc(40);
		snprintf(text, 40, "read %d", value);
		puts(text);
		free(text);
		pthread_rwlock_unlock(&rw);
	}
	return arg;
}

static void *writer(void *arg)
{
	for (int i = 0; i < rounds; i++) {
		pthread_rwlock_wrlock(&rw);
		printf("wrote %d\n", ++value);
		pthread_rwlock_unlock(&rw);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[8];
	int readers = argc > 1 ? atoi(argv[1]) : 1, writers = argc > 2 ? atoi(argv[2]) : 1;
	rounds = argc > 3 ? atoi(argv[3]) : 1;
	for (int i = 0; i < readers + writers; i++)
		t[i] = spawn(i < readers ? reader : writer, NULL);
	for (int i = 0; i < readers + writers; i++)
		join(t[i]);
	return 0;
}
