/*
 * thread_names.c: names are kept per thread, can be set from outside, and are at
 * most 15 characters.
 *
 * heddle: verdict=verified
 */
#include "guest.h"

static sem_t named;

static void *body(void *arg)
{
	char name[16];
	(void)arg;
	sem_wait(&named);
	OK(pthread_getname_np(pthread_self(), name, sizeof(name)));
	CHECK(!strcmp(name, "from-outside"));
	OK(pthread_setname_np(pthread_self(), "own"));
	return NULL;
}

int main(void)
{
	char name[16];
	sem_init(&named, 0, 0);
	pthread_t t = spawn(body, NULL);
	OK(pthread_setname_np(t, "from-outside"));
	CHECK(pthread_setname_np(t, "sixteen letters!") == ERANGE);
	OK(pthread_setname_np(pthread_self(), "boss"));
	sem_post(&named);
	join(t);
	OK(pthread_getname_np(pthread_self(), name, sizeof(name)));
	CHECK(!strcmp(name, "boss"));
	CHECK(pthread_getname_np(pthread_self(), name, 2) == ERANGE);
	return 0;
}
