/*
 * futex_ops.c: the futex call itself: value mismatch, wake counts, time-outs as a
 * choice, bitsets, requeue.
 *
 * heddle: verdict=verified outcomes=1 args=simple
 * heddle: verdict=verified outcomes=0,1 args=timeout
 * heddle: verdict=verified outcomes=2 args=bitset
 * heddle: verdict=verified outcomes=11 args=requeue
 * native: args=simple
 * native: args=timeout
 * native: args=bitset
 * native: args=requeue
 */
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#include "guest.h"

static atomic_uint word, other, asleep, woken;

static long futex(atomic_uint *at, int op, unsigned value, const struct timespec *t, void *at2, unsigned v3)
{
	return syscall(SYS_futex, at, op | FUTEX_PRIVATE_FLAG, value, t, at2, v3);
}

static void simple(void)
{
	FAILS(futex(&word, FUTEX_WAIT, 1, NULL, NULL, 0), EAGAIN);
	CHECK(futex(&word, FUTEX_WAKE, 10, NULL, NULL, 0) == 0);
	struct timespec short_time = {0, 1000};
	FAILS(futex(&word, FUTEX_WAIT, 0, &short_time, NULL, 0), ETIMEDOUT);
	FAILS(syscall(SYS_futex, (char *)&word + 1, FUTEX_WAKE, 1, NULL, NULL, 0), EINVAL);
	heddle_outcome(1);
}

static void *waker(void *arg)
{
	word = 1;
	futex(&word, FUTEX_WAKE, 1, NULL, NULL, 0);
	return arg;
}

static void timeout(void)
{
	struct timespec ts = {0, 50000000};
	pthread_t t = spawn(waker, NULL);
	long rc = 0;
	while (word == 0 && rc == 0)
		rc = futex(&word, FUTEX_WAIT, 0, &ts, NULL, 0);
	CHECK(rc == 0 || errno == ETIMEDOUT || errno == EAGAIN);
	heddle_outcome(rc != 0 && errno == ETIMEDOUT);
	join(t);
}

static void *bit_waiter(void *mask)
{
	asleep++;
	CHECK(futex(&word, FUTEX_WAIT_BITSET, 0, NULL, NULL, (unsigned)(long)mask) == 0);
	return mask;
}

/* Wakes somebody, however long it takes them to fall asleep. */
static void wake_one(atomic_uint *at, unsigned mask)
{
	while (futex(at, FUTEX_WAKE_BITSET, 1, NULL, NULL, mask) == 0)
		sched_yield();
}

static void bitset(void)
{
	pthread_t a = spawn(bit_waiter, (void *)1), b = spawn(bit_waiter, (void *)2);
	wake_one(&word, 2);
	CHECK(join(b) == (void *)2);
	heddle_outcome((long)2);
	wake_one(&word, 1);
	join(a);
}

static void *queue_waiter(void *arg)
{
	CHECK(futex(&word, FUTEX_WAIT, 0, NULL, NULL, 0) == 0);
	woken++;
	return arg;
}

static void requeue(void)
{
	pthread_t a = spawn(queue_waiter, NULL), b = spawn(queue_waiter, NULL);
	long moved = 0;
	while (moved < 2) {
		moved += futex(&word, FUTEX_CMP_REQUEUE, 0, (void *)10, &other, 0);
		sched_yield();
	}
	FAILS(futex(&word, FUTEX_CMP_REQUEUE, 1, (void *)1, &other, 7), EAGAIN);
	CHECK(woken == 0 && futex(&word, FUTEX_WAKE, 10, NULL, NULL, 0) == 0);
	long one = futex(&other, FUTEX_WAKE, 1, NULL, NULL, 0);
	long rest = futex(&other, FUTEX_WAKE, 10, NULL, NULL, 0);
	join(a);
	join(b);
	heddle_outcome(one * 10 + rest);
}

int main(int argc, char **argv)
{
	if (story(argc, argv, "simple"))
		simple();
	else if (story(argc, argv, "timeout"))
		timeout();
	else if (story(argc, argv, "bitset"))
		bitset();
	else
		requeue();
	return 0;
}
