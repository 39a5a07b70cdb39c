/*
 * model_buffer.c: bounded buffer with one condition variable and broadcast; threads with even
 * numbers put, the others take. Items are malloc'ed, a line is printed for each; models.py has the counts.
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int items, slots, used;

static void move_one(int producer)
{
	char *line = malloc(80);
	pthread_mutex_lock(&lock);
	while (used == (producer ? slots : 0))
		pthread_cond_wait(&changed, &lock);
	used += producer ? 1 : -1;
	snprintf(line, 80, "%s, now %d", producer ? "put" : "took", used);
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	puts(line);
	free(line);
}

static void *body(void *arg)
{
	for (int i = 0; i < items; i++)
		move_one((long)arg % 2 == 0);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[8];
	long threads = argc > 1 ? atoi(argv[1]) : 2;
	items = argc > 2 ? atoi(argv[2]) : 1;
	slots = argc > 3 ? atoi(argv[3]) : 1;
	for (long i = 0; i < threads; i++)
		t[i] = spawn(body, (void *)i);
	for (long i = 0; i < threads; i++)
		join(t[i]);
	return 0;
}
