/*
 * cond_buffer.c: a bounded buffer with one slot, a producer and two consumers, malloc'ed
 * items. `broken` uses one condition variable and signal where broadcast is needed: a
 * producer may wake the wrong kind.
 *
 * heddle: verdict=verified outcomes=12,21,3,30 args=right
 * heddle: verdict=violation kind=deadlock args=broken
 * native: args=right
 * native: args=broken any
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int *slot, got[2], broken, left;

static void wake(void)
{
	if (broken)
		pthread_cond_signal(&changed);
	else
		pthread_cond_broadcast(&changed);
}

static void put(int value)
{
	int *item = malloc(sizeof(*item));
	*item = value;
	pthread_mutex_lock(&lock);
	while (slot)
		pthread_cond_wait(&changed, &lock);
	slot = item;
	wake();
	pthread_mutex_unlock(&lock);
}

/* 0 when everything has been taken. */
static int take(void)
{
	pthread_mutex_lock(&lock);
	while (!slot && left)
		pthread_cond_wait(&changed, &lock);
	int *item = slot;
	if (item) {
		slot = NULL;
		left--;
		wake();
	}
	pthread_mutex_unlock(&lock);
	int value = item ? *item : 0;
	free(item);
	return value;
}

static void *consumer(void *arg)
{
	int value;
	while ((value = take()))
		*(int *)arg += value;
	return NULL;
}

int main(int argc, char **argv)
{
	broken = story(argc, argv, "broken");
	left = 2;
	pthread_t a = spawn(consumer, &got[0]), b = spawn(consumer, &got[1]);
	put(1);
	put(2);
	join(a);
	join(b);
	heddle_outcome(got[0] * 10 + got[1]);
	return 0;
}
