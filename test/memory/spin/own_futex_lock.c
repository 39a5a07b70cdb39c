/*
 * own_futex_lock.c: a mutex of one's own: an atomic word, and the futex call where it is taken.
 *
 * heddle: verdict=verified outcomes=2
 */
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#include "guest.h"

/* 0 free, 1 taken, 2 taken and somebody may wait */
static atomic_int word;
static int counter;

static void lock_it(void)
{
	int seen = 0;

	if (atomic_compare_exchange_strong(&word, &seen, 1))
		return;
	while (atomic_exchange(&word, 2))
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static void unlock_it(void)
{
	if (atomic_exchange(&word, 0) == 2)
		syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *body(void *arg)
{
	lock_it();
	counter++;
	unlock_it();
	return arg;
}

int main(void)
{
	pthread_t a = spawn(body, NULL), b = spawn(body, NULL);

	join(a);
	join(b);
	heddle_outcome(counter);
	return 0;
}
