/*
 * init_before_share.c: main fills an object without a lock before anybody else knows it, and looks at it
 * without a lock after the joins; in between everybody takes the lock.
 *
 * heddle: verdict=verified outcomes=13
 */
#include "guest.h"

struct account {
	pthread_mutex_t lock;
	int balance;
};

static void *pay_in(void *arg)
{
	struct account *a = arg;

	pthread_mutex_lock(&a->lock);
	a->balance++;
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

int main(void)
{
	struct account *a = malloc(sizeof *a);

	CHECK(a);
	OK(pthread_mutex_init(&a->lock, NULL));
	a->balance = 10;
	pthread_t s = spawn(pay_in, a), t = spawn(pay_in, a);
	pay_in(a);
	join(s);
	join(t);
	heddle_outcome(a->balance);
	OK(pthread_mutex_destroy(&a->lock));
	free(a);
	return 0;
}
