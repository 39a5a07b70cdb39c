/*
 * thread_attr.c: attributes: stack size and detach state are kept, a thread gets
 * the stack it asked for, pthread_getattr_np tells the truth about it.
 *
 * heddle: verdict=verified outcomes=1
 */
#include <limits.h>

#include "guest.h"

enum { ASKED = 512 * 1024 };

static void *body(void *arg)
{
	(void)arg;
	pthread_attr_t attr;
	void *low;
	size_t size, guard;
	int state;
	char big[ASKED / 2];
	memset(big, 1, sizeof(big));
	OK(pthread_getattr_np(pthread_self(), &attr));
	OK(pthread_attr_getstack(&attr, &low, &size));
	CHECK(size >= ASKED - 65536);
	CHECK((char *)low <= big && big + sizeof(big) <= (char *)low + size);
	OK(pthread_attr_getdetachstate(&attr, &state));
	CHECK(state == PTHREAD_CREATE_JOINABLE);
	OK(pthread_attr_getguardsize(&attr, &guard));
	OK(pthread_attr_destroy(&attr));
	return (void *)(long)big[100];
}

int main(void)
{
	pthread_attr_t attr;
	size_t size;
	int state;
	OK(pthread_attr_init(&attr));
	OK(pthread_attr_getdetachstate(&attr, &state));
	CHECK(state == PTHREAD_CREATE_JOINABLE);
	CHECK(pthread_attr_setstacksize(&attr, 100) == EINVAL);
	CHECK(pthread_attr_setdetachstate(&attr, 77) == EINVAL);
	OK(pthread_attr_setstacksize(&attr, ASKED));
	OK(pthread_attr_getstacksize(&attr, &size));
	CHECK(size == ASKED);
	pthread_t t;
	OK(pthread_create(&t, &attr, body, NULL));
	OK(pthread_attr_destroy(&attr));
	heddle_outcome((long)join(t));
	return 0;
}
