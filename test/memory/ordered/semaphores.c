/*
 * semaphores.c: a ring buffer with two semaphores. A post is a step here, because it hands over what was written
 * before it; the accesses are none.
 *
 * heddle: verdict=verified states=44
 */
#include "guest.h"

#define ITEMS 5
#define SIZE 2

static sem_t full, empty;
static int ring[SIZE];

static void *reader(void *arg)
{
	for (int i = 0; i < ITEMS; i++) {
		sem_wait(&full);
		CHECK(ring[i % SIZE] == i);
		sem_post(&empty);
	}
	return arg;
}

int main(void)
{
	OK(sem_init(&full, 0, 0));
	OK(sem_init(&empty, 0, SIZE));
	pthread_t t = spawn(reader, NULL);
	for (int i = 0; i < ITEMS; i++) {
		sem_wait(&empty);
		ring[i % SIZE] = i;
		sem_post(&full);
	}
	OK(pthread_join(t, NULL));
	return 0;
}
