/* Two threads meet at atomic instructions: traps of the runtime, which gdb must not take for its own. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int turn, arrived;

static void *take(void *arg)
{
	int before;

	atomic_fetch_add(&arrived, 1);
	before = atomic_fetch_add(&turn, 5);
	assert(before == 0);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, take, 0);
	pthread_create(&b, 0, take, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
