/* Two threads count; the second one is surprised. For the dialogue with gdb: a global, a local, a violation.
 * build: -O0
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void add(int by)
{
	int before;

	pthread_mutex_lock(&m);
	before = total;
	total = before + by;
	pthread_mutex_unlock(&m);
}

static void *tens(void *arg)
{
	for (int round = 0; round < 3; round++)
		add(10);
	return arg;
}

static void *ones(void *arg)
{
	for (int round = 0; round < 3; round++)
		add(1);
	pthread_mutex_lock(&m);
	assert(total != 33);
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, tens, 0);
	pthread_create(&b, 0, ones, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
