/*
 * The race of a chat server, in miniature and without a network: clients come
 * and go, a third thread sends a line to everybody who is there. The fault: the
 * list of clients has no lock, so a client may be gone between the look and the use.
 */
#include <sched.h>

#include "common.h"

#define CLIENTS 2

struct client {
	int lines;
};

struct client *clients[CLIENTS]; /* NULL: nobody there. Not static, or compilers prove that nobody looks */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void list_lock(void)
{
	if (!FAULT)
		pthread_mutex_lock(&lock);
}

static void list_unlock(void)
{
	if (!FAULT)
		pthread_mutex_unlock(&lock);
}

static void *client(void *arg)
{
	int me = (int)(long)arg;
	struct client *c = calloc(1, sizeof *c);

	assert(c);
	list_lock();
	clients[me] = c;
	list_unlock();
	sched_yield(); /* the visit */
	list_lock();
	clients[me] = NULL;
	list_unlock();
	assert(c->lines <= 1);
	free(c);
	return NULL;
}

static void *broadcast(void *arg)
{
	list_lock();
	for (int i = 0; i < CLIENTS; i++)
		if (clients[i])
			clients[i]->lines++;
	list_unlock();
	return arg;
}

int main(void)
{
	pthread_t a = start(client, (void *)0), b = start(client, (void *)1), c = start(broadcast, NULL);

	finish(a);
	finish(b);
	finish(c);
	return 0;
}
