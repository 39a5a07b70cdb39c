/*
 * thread_basics.c: create, join, self, equal; values travel through the start
 * argument and the return value; one thread's value does not reach another's join.
 *
 * heddle: verdict=verified outcomes=3
 */
#include "guest.h"

static pthread_t main_thread;

static void *body(void *arg)
{
	CHECK(!pthread_equal(pthread_self(), main_thread));
	return (char *)arg + 100;
}

int main(void)
{
	main_thread = pthread_self();
	CHECK(pthread_equal(pthread_self(), main_thread));
	pthread_t a = spawn(body, (void *)1), b = spawn(body, (void *)2);
	CHECK(!pthread_equal(a, b));
	long vb = (long)join(b), va = (long)join(a);
	CHECK(va == 101 && vb == 102);
	heddle_outcome(va + vb - 200);
	return 0;
}
