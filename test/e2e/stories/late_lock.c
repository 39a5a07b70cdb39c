/* Who closes frees the session, and the lock in it, while another one is about to use it. */
#include <pthread.h>
#include <stdlib.h>

static struct session {
	pthread_mutex_t m;
	int bytes;
} * s;

static void *reader(void *arg)
{
	pthread_mutex_lock(&s->m);
	s->bytes++;
	pthread_mutex_unlock(&s->m);
	return arg;
}

static void *closer(void *arg)
{
	pthread_mutex_lock(&s->m);
	pthread_mutex_unlock(&s->m);
	free(s);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	s = calloc(1, sizeof(*s));
	if (!s || pthread_mutex_init(&s->m, NULL))
		return 2;
	pthread_create(&t[0], NULL, reader, NULL);
	pthread_create(&t[1], NULL, closer, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
