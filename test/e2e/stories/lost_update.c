/* Checked and used with the lock given up in between. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct {
	int seats, sold;
} plane = {1, 0};

static void *sell(void *arg)
{
	int left;

	pthread_mutex_lock(&m);
	left = plane.seats - plane.sold;
	pthread_mutex_unlock(&m);
	if (left > 0) {
		pthread_mutex_lock(&m);
		plane.sold++;
		pthread_mutex_unlock(&m);
	}
	return arg;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, sell, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(plane.sold <= plane.seats);
	return 0;
}
