/*
 * tls_variables.c: __thread variables, initialised, zero and over-aligned, and errno:
 * each thread has its own and starts with the initial values.
 *
 * heddle: verdict=verified outcomes=33
 */
#include <fcntl.h>
#include <stdint.h>

#include "guest.h"

static __thread int counter = 10;
static __thread char zero[3000];
static __thread struct {
	_Alignas(64) long v[8];
} aligned = {{1, 2, 3}};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *body(void *arg)
{
	CHECK(counter == 10 && zero[2999] == 0 && aligned.v[2] == 3);
	CHECK((uintptr_t)&aligned % 64 == 0);
	errno = 0;
	CHECK(open("no-such-file", O_RDONLY) == -1 && errno == ENOENT);
	pthread_mutex_lock(&lock);
	counter++;
	zero[2999] = 1;
	aligned.v[2] = 9;
	pthread_mutex_unlock(&lock);
	CHECK(errno == ENOENT);
	pthread_mutex_lock(&lock);
	sum += counter;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	errno = E2BIG;
	pthread_t a = spawn(body, NULL), b = spawn(body, NULL);
	join(a);
	join(b);
	CHECK(errno == E2BIG);
	body(NULL);
	heddle_outcome(sum);
	return 0;
}
