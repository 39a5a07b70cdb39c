/* One way out of the function forgets to unlock; "again" locks twice, "join" joins with the lock held. */
#include <pthread.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void *worker(void *arg)
{
	pthread_mutex_lock(&m);
	if (++n == 1 && !strcmp(arg, "forget"))
		return arg;
	if (!strcmp(arg, "again"))
		pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	(void)argc;
	if (!strcmp(argv[1], "join"))
		pthread_mutex_lock(&m);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, argv[1]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
