/*
 * many_threads.c: what weaker atomics order is followed for more threads than have room in one word.
 *
 * heddle: verdict=violation kind=race args=relaxed message~="threads? 4[23]"
 * heddle: verdict=verified args=released text~="Verified: "
 */
#include <stdatomic.h>

#include "guest.h"

#define IDLE 40

static sem_t hold;
static atomic_int ready;
static int data;

static void *idles(void *arg)
{
	sem_wait(&hold);
	return arg;
}

static void *writes(void *arg)
{
	data = 1;
	atomic_store_explicit(&ready, 1, memory_order_release);
	return arg;
}

static void *writes_relaxed(void *arg)
{
	data = 1;
	atomic_store_explicit(&ready, 1, memory_order_relaxed);
	return arg;
}

static void *reads(void *arg)
{
	if (atomic_load_explicit(&ready, memory_order_relaxed) && atomic_load(&ready))
		heddle_assert(data == 1);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[IDLE + 2];
	sem_init(&hold, 0, 0);
	for (int i = 0; i < IDLE; i++)
		t[i] = spawn(idles, NULL);
	t[IDLE] = spawn(story(argc, argv, "relaxed") ? writes_relaxed : writes, NULL);
	t[IDLE + 1] = spawn(reads, NULL);
	join(t[IDLE]);
	join(t[IDLE + 1]);
	return 0; /* the others end with it */
}
