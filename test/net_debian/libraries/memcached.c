/*
 * Two threads use memcached by libmemcached: each has a handle of its own, stores a number, adds to it and
 * reads it. When a time-out of five seconds passes first, it gives up, and so does the program.
 *
 * library: libmemcached
 * heddle: verdict=verified outcomes=32 options="--timeouts never --recheck 2" server="@memcached {port:11211}"
 * heddle: verdict=violation kind=assert options="--strategy bfs" server="@memcached {port:11211}"
 */
#include <libmemcached/memcached.h>

#include "net.h"

static long got[2];

static void *use(void *arg)
{
	long self = (long)arg;
	char key[16], value[16];
	memcached_st *m = memcached("--SERVER=127.0.0.1:11211", strlen("--SERVER=127.0.0.1:11211"));
	CHECK(m);
	int n = snprintf(key, sizeof(key), "lib%ld", self);
	int v = snprintf(value, sizeof(value), "%ld", 10 * self);
	CHECK(memcached_set(m, key, (size_t)n, value, (size_t)v, 0, 0) == MEMCACHED_SUCCESS);
	uint64_t sum;
	CHECK(memcached_increment(m, key, (size_t)n, 1, &sum) == MEMCACHED_SUCCESS);
	CHECK(sum == (uint64_t)(10 * self + 1));
	size_t length;
	uint32_t flags;
	memcached_return_t error;
	char *text = memcached_get(m, key, (size_t)n, &length, &flags, &error);
	CHECK(text && error == MEMCACHED_SUCCESS);
	got[self - 1] = atol(text);
	free(text);
	memcached_free(m);
	return NULL;
}

int main(void)
{
	pthread_t a = spawn(use, (void *)1l), b = spawn(use, (void *)2l);
	join(a);
	join(b);
	heddle_outcome(got[0] + got[1]);
	return 0;
}
