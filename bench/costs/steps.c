/*
 * steps KIND THREADS STEPS [PORT]: each thread takes STEPS steps of one kind on an object of its own, so that all kinds have
 * state spaces of the same shape: STEPS + 1 positions for each thread, every combination of them.
 *   mutex   lock and unlock it
 *   pipe    write a byte into it, read it back: two steps
 *   peer    write a byte to a server that sends it back, read it: two steps
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_THREADS 8

struct object {
	pthread_mutex_t mutex;
	int from, to; /* the ends of a pipe; both the same for a connection */
	int steps;
};

static void *use_mutex(void *self)
{
	struct object *o = self;
	int i;

	for (i = 0; i < o->steps; i++) {
		pthread_mutex_lock(&o->mutex);
		pthread_mutex_unlock(&o->mutex);
	}
	return NULL;
}

static void *use_bytes(void *self)
{
	struct object *o = self;
	char byte = 'x';
	int i;

	for (i = 0; i < o->steps; i += 2)
		if (write(o->to, &byte, 1) != 1 || read(o->from, &byte, 1) != 1)
			abort();
	return NULL;
}

static void dial(struct object *o, int port)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	o->from = o->to = socket(AF_INET, SOCK_STREAM, 0);
	if (o->to < 0 || connect(o->to, (struct sockaddr *)&at, sizeof(at)))
		abort();
}

static void make(struct object *o, char kind, int port)
{
	int fd[2];

	pthread_mutex_init(&o->mutex, NULL);
	if (kind == 'p') {
		if (pipe(fd))
			abort();
		o->from = fd[0];
		o->to = fd[1];
	} else if (kind == 's') {
		dial(o, port);
	}
}

int main(int argc, char **argv)
{
	static struct object object[MAX_THREADS];
	static const struct {
		const char *name;
		char kind;
		void *(*use)(void *);
	} kinds[] = {{"mutex", 'm', use_mutex}, {"pipe", 'p', use_bytes}, {"peer", 's', use_bytes}};
	int threads = argc > 2 ? atoi(argv[2]) : 0, i, k;
	pthread_t id[MAX_THREADS];

	for (k = 0; argc > 3 && k < 3 && strcmp(kinds[k].name, argv[1]) != 0; k++)
		;
	if (argc < 4 || k == 3 || threads < 1 || threads > MAX_THREADS)
		return 2;
	for (i = 0; i < threads; i++) {
		object[i].steps = atoi(argv[3]);
		make(&object[i], kinds[k].kind, argc > 4 ? atoi(argv[4]) : 0);
	}
	for (i = 0; i < threads; i++)
		if (pthread_create(&id[i], NULL, kinds[k].use, &object[i]))
			return 1;
	for (i = 0; i < threads; i++)
		pthread_join(id[i], NULL);
	return 0;
}
