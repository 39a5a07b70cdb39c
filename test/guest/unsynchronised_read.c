/*
 * unsynchronised_read.c: one side locks, the other reads without: the order of their steps shows in what is read.
 *
 * heddle: verdict=verified outcomes=100,110 text~="(?s)Verified, but threads share balance .*unsynchronised: balance"
 * native: exit=0
 */
#include "guest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static void *deposit(void *arg)
{
	pthread_mutex_lock(&lock);
	balance += 10;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *look(void *arg)
{
	*(int *)arg = balance;
	return NULL;
}

int main(void)
{
	int seen = 0;
	pthread_t a = spawn(deposit, NULL), b = spawn(look, &seen);

	join(a);
	join(b);
	heddle_outcome(seen);
	return 0;
}
