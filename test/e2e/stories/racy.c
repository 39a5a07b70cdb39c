/* For heddle cc: "race": a counter, one side of which has the lock; "free": who frees, and who uses it? */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct stats {
	int hits;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct stats *stats;

static void *reader(void *how)
{
	if (!strcmp(how, "free")) {
		pthread_mutex_lock(&m);
		free(stats);
		pthread_mutex_unlock(&m);
	} else {
		stats->hits++;
	}
	return how;
}

int main(int argc, char **argv)
{
	pthread_t t;

	(void)argc;
	stats = calloc(1, sizeof(*stats));
	pthread_create(&t, NULL, reader, argv[1]);
	pthread_mutex_lock(&m);
	stats->hits++;
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	return 0;
}
