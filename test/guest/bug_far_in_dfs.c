/*
 * Every twentieth execution or so shows the bug; but a depth-first search begins with the many orders in
 * which three threads count, and has not come to it after 300,000 states. Random walks have.
 *
 * heddle: verdict=violation kind=assert where=@bug options="--max-states 20000"
 * heddle: verdict=violation kind=assert where=@bug options="--max-states 20000 --por off"
 * heddle: verdict=violation kind=assert violations#=1 options="--max-states 20000 --keep-going"
 * native: any
 */
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int turn, seen, n[4];

static void *work(void *a)
{
	long id = (long)a;

	for (int i = 0; i < 12; i++) {
		pthread_mutex_lock(&m);
		n[id] += i;
		turn = turn * 3 + id;
		pthread_mutex_unlock(&m);
	}
	return NULL;
}

static void *late(void *a)
{
	pthread_mutex_lock(&m);
	seen = 1;
	pthread_mutex_unlock(&m);
	return a;
}

int main(void)
{
	pthread_t t[4];

	pthread_create(&t[3], 0, late, 0);
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], 0, work, (void *)i);
	pthread_mutex_lock(&m);
	assert(!seen || !n[0] || n[2]); /* @bug */
	pthread_mutex_unlock(&m);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], 0);
}
