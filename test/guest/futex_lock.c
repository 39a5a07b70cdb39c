/*
 * futex_lock.c: a program with a lock of its own, made of atomics and the futex system
 * call (0 free, 1 taken, 2 taken and somebody sleeps). A yield inside the critical
 * section brings the others to the slow path.
 *
 * heddle: verdict=verified outcomes=6
 * heddle: verdict=violation kind=deadlock args=forget message~="(?i)futex"
 */
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#include "guest.h"

static atomic_int word;
static int sum, forget;

static void own_lock(void)
{
	int seen = 0;
	if (atomic_compare_exchange_strong(&word, &seen, 1))
		return;
	if (seen != 2)
		seen = atomic_exchange(&word, 2);
	while (seen) {
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
		seen = atomic_exchange(&word, 2);
	}
}

static void own_unlock(void)
{
	if (atomic_exchange(&word, 0) == 2 && !forget)
		syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *body(void *arg)
{
	for (int i = 0; i < 2; i++) {
		own_lock();
		int copy = sum;
		sched_yield();
		sum = copy + 1;
		own_unlock();
	}
	return arg;
}

int main(int argc, char **argv)
{
	forget = story(argc, argv, "forget");
	pthread_t a = spawn(body, NULL), b = spawn(body, NULL);
	body(NULL);
	join(a);
	join(b);
	heddle_outcome(sum);
	return 0;
}
