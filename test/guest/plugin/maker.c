/* maker.c: a library that makes threads by the next pthread_create behind its own, as jemalloc does. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

pthread_t make_thread(void *(*fn)(void *), void *arg)
{
	int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	pthread_t t;
	*(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
	if (!create || create(&t, NULL, fn, arg))
		abort();
	return t;
}
