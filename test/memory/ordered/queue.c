/*
 * queue.c: blocks of a thousand words are filled, put into a queue under a mutex, taken out, read and given back.
 * The words themselves are never under a lock, and no access to them is a step.
 *
 * heddle: verdict=verified states=67
 */
#include "guest.h"

#define WORDS 1024
#define ITEMS 3

struct node {
	struct node *next;
	int word[WORDS];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static struct node *queue;
static int closed;

static struct node *take(void)
{
	pthread_mutex_lock(&lock);
	while (!queue && !closed)
		pthread_cond_wait(&news, &lock);
	struct node *n = queue;
	if (n)
		queue = n->next;
	pthread_mutex_unlock(&lock);
	return n;
}

static void *reader(void *arg)
{
	long sum = 0;

	for (struct node *n; (n = take());) {
		for (int i = 0; i < WORDS; i++)
			sum += n->word[i];
		free(n);
	}
	CHECK(sum == (long)ITEMS * WORDS * 7);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(reader, NULL);

	for (int k = 0; k <= ITEMS; k++) {
		struct node *n = k < ITEMS ? malloc(sizeof(*n)) : NULL;
		for (int i = 0; n && i < WORDS; i++)
			n->word[i] = 7;
		pthread_mutex_lock(&lock);
		if (n) {
			n->next = queue;
			queue = n;
		} else {
			closed = 1;
		}
		pthread_cond_signal(&news);
		pthread_mutex_unlock(&lock);
	}
	OK(pthread_join(t, NULL));
	return 0;
}
