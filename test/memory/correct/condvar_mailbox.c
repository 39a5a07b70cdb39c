/*
 * condvar_mailbox.c: a mailbox for one letter, with a condition variable each way.
 *
 * heddle: verdict=verified outcomes=12
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int letter, full;

static void put(int value)
{
	pthread_mutex_lock(&lock);
	while (full)
		pthread_cond_wait(&emptied, &lock);
	letter = value;
	full = 1;
	pthread_cond_signal(&filled);
	pthread_mutex_unlock(&lock);
}

static int take(void)
{
	pthread_mutex_lock(&lock);
	while (!full)
		pthread_cond_wait(&filled, &lock);
	int value = letter;
	full = 0;
	pthread_cond_signal(&emptied);
	pthread_mutex_unlock(&lock);
	return value;
}

static void *sender(void *arg)
{
	put(1);
	put(2);
	return arg;
}

int main(void)
{
	pthread_t t = spawn(sender, NULL);
	int first = take(), second = take();

	join(t);
	heddle_outcome(first * 10 + second);
	return 0;
}
