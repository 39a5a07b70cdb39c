/*
 * objects_order.c: semaphore, barrier, condition variable, pipe and join order plain data beside a relaxed counter.
 *
 * heddle: verdict=verified
 */
#include <stdatomic.h>

#include "guest.h"

#include <semaphore.h>

static atomic_int count;
static sem_t semaphore;
static pthread_barrier_t barrier;
static int data[3], ends[2];

static void *body(void *arg)
{
	char c = 'x';

	atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
	data[0] = 1;
	sem_post(&semaphore);
	data[1] = 1;
	pthread_barrier_wait(&barrier);
	data[2] = 1;
	heddle_assert(write(ends[1], &c, 1) == 1);
	return arg;
}

int main(void)
{
	char c;
	pthread_t t;

	heddle_assert(pipe(ends) == 0);
	sem_init(&semaphore, 0, 0);
	pthread_barrier_init(&barrier, NULL, 2);
	t = spawn(body, NULL);
	atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
	sem_wait(&semaphore);
	heddle_assert(data[0] == 1);
	pthread_barrier_wait(&barrier);
	heddle_assert(data[1] == 1);
	heddle_assert(read(ends[0], &c, 1) == 1);
	heddle_assert(data[2] == 1);
	data[0] = 2;
	join(t);
	return 0;
}
