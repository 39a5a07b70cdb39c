/*
 * tls_keys.c: pthread keys: values per thread, destructors at thread end (not for NULL,
 * not for main's return, not for deleted keys), repeated rounds while destructors set values again.
 *
 * heddle: verdict=verified outcomes=314
 */
#include <limits.h>

#include "guest.h"

static pthread_key_t plain, stubborn, heap, gone;
static int rounds, freed, wrong;

static void again(void *value)
{
	rounds++;
	if ((long)value > 1)
		pthread_setspecific(stubborn, (char *)value - 1);
}

static void forever(void *value)
{
	freed++;
	pthread_setspecific(plain, value);
}

static void must_not_run(void *value)
{
	(void)value;
	wrong++;
}

static void *body(void *arg)
{
	CHECK(pthread_getspecific(plain) == NULL);
	OK(pthread_setspecific(plain, (void *)1));
	OK(pthread_setspecific(stubborn, (void *)3));
	OK(pthread_setspecific(heap, malloc(10)));
	OK(pthread_setspecific(gone, (void *)1));
	OK(pthread_key_delete(gone));
	return arg;
}

int main(void)
{
	OK(pthread_key_create(&plain, forever));
	OK(pthread_key_create(&stubborn, again));
	OK(pthread_key_create(&heap, free));
	OK(pthread_key_create(&gone, must_not_run));
	OK(pthread_setspecific(plain, (void *)7));
	join(spawn(body, NULL));
	CHECK(pthread_getspecific(plain) == (void *)7);
	CHECK(freed == PTHREAD_DESTRUCTOR_ITERATIONS && wrong == 0);
	CHECK(pthread_setspecific(gone, NULL) == EINVAL);
	heddle_outcome(rounds * 100 + freed + 10);
	return 0;
}
