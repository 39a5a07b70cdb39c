/* "null": a pointer is NULL for a moment; "twice": two threads free the same buffer. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct settings {
	int port;
};

static struct settings *settings;
static char *buffer;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *reload(void *arg)
{
	pthread_mutex_lock(&m);
	settings = NULL;
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
	settings = calloc(1, sizeof(*settings));
	pthread_mutex_unlock(&m);
	return arg;
}

static void *drop(void *arg)
{
	char *mine;

	pthread_mutex_lock(&m);
	mine = buffer;
	pthread_mutex_unlock(&m);
	if (mine) {
		free(mine);
		pthread_mutex_lock(&m);
		buffer = NULL;
		pthread_mutex_unlock(&m);
	}
	return arg;
}

int main(int argc, char **argv)
{
	bool twice = argc > 1 && !strcmp(argv[1], "twice");
	pthread_t t;
	int port;

	settings = calloc(1, sizeof(*settings));
	buffer = malloc(100);
	pthread_create(&t, NULL, twice ? drop : reload, NULL);
	if (twice)
		drop(NULL);
	pthread_mutex_lock(&m);
	port = settings->port;
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	return port;
}
