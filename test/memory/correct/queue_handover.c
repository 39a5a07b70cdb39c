/*
 * queue_handover.c: blocks go through a list that a mutex protects; the lock protects the list,
 * the contents belong to whoever has the block.
 *
 * heddle: verdict=verified outcomes=12,21
 */
#include "guest.h"

struct item {
	struct item *next;
	int value;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct item *list;
static sem_t filled;

static void *producer(void *arg)
{
	struct item *item = malloc(sizeof *item);

	CHECK(item);
	item->value = (int)(long)arg;
	pthread_mutex_lock(&lock);
	item->next = list;
	list = item;
	pthread_mutex_unlock(&lock);
	sem_post(&filled);
	return NULL;
}

static int take(void)
{
	OK(sem_wait(&filled));
	pthread_mutex_lock(&lock);
	struct item *item = list;
	list = item->next;
	pthread_mutex_unlock(&lock);
	int value = item->value;
	item->value = 0;
	free(item);
	return value;
}

int main(void)
{
	OK(sem_init(&filled, 0, 0));
	pthread_t a = spawn(producer, (void *)1), b = spawn(producer, (void *)2);
	int first = take(), second = take();
	join(a);
	join(b);
	heddle_outcome(first * 10 + second);
	return 0;
}
