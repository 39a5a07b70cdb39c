/*
 * sem_ops.c: every operation on unnamed semaphores with its answer.
 *
 * heddle: verdict=verified outcomes=1
 */
#include <limits.h>

#include "guest.h"

int main(void)
{
	sem_t sem;
	int value;
	struct timespec past = {1, 0};
	FAILS(sem_init(&sem, 0, (unsigned)INT_MAX + 1), EINVAL);
	OK(sem_init(&sem, 0, 2));
	OK(sem_getvalue(&sem, &value));
	CHECK(value == 2);
	OK(sem_wait(&sem));
	OK(sem_timedwait(&sem, &past));
	FAILS(sem_trywait(&sem), EAGAIN);
	FAILS(sem_timedwait(&sem, &past), ETIMEDOUT);
	FAILS(sem_clockwait(&sem, CLOCK_MONOTONIC, &past), ETIMEDOUT);
	OK(sem_post(&sem));
	OK(sem_trywait(&sem));
	OK(sem_getvalue(&sem, &value));
	CHECK(value == 0);
	OK(sem_destroy(&sem));
	OK(sem_init(&sem, 0, INT_MAX));
	FAILS(sem_post(&sem), EOVERFLOW);
	OK(sem_destroy(&sem));
	heddle_outcome(1);
	return 0;
}
