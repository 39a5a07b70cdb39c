/* Unnamed semaphores. */
#include "runtime/sched/semaphore.h"

#include <semaphore.h>

#include "runtime/interpose/interpose.h"
#include "runtime/sched/freed.h"

#define SEM(s) ((struct vsem *)(s))

DOOR(int, sem_init)(sem_t *s, int shared, unsigned value)
{
	(void)shared; /* there is one process */
	freed_check((u64)s, "a semaphore", DOOR_CALLER);
	return errno_result(semaphore_init(SEM(s), value));
}

DOOR(int, sem_destroy)(sem_t *s)
{
	return errno_result(semaphore_destroy(SEM(s), DOOR_CALLER));
}

DOOR(int, sem_wait)(sem_t *s)
{
	return errno_result(semaphore_wait(SEM(s), 0, DOOR_CALLER));
}

DOOR(int, sem_trywait)(sem_t *s)
{
	return errno_result(semaphore_trywait(SEM(s), DOOR_CALLER));
}

static int wait_until(sem_t *s, clockid_t clock, const struct timespec *ts, u64 pc)
{
	if (!timespec_ok(ts))
		return errno_result(EINVAL);
	u64 deadline = clock_deadline_at(clock, ts->tv_sec, ts->tv_nsec);
	return errno_result(semaphore_wait(SEM(s), deadline, pc));
}

DOOR(int, sem_clockwait)(sem_t *s, clockid_t clock, const struct timespec *ts)
{
	return wait_until(s, clock, ts, DOOR_CALLER);
}

DOOR(int, sem_timedwait)(sem_t *s, const struct timespec *ts)
{
	return wait_until(s, CLOCK_REALTIME, ts, DOOR_CALLER);
}

DOOR(int, sem_post)(sem_t *s)
{
	return errno_result(semaphore_post(SEM(s), DOOR_CALLER));
}

DOOR(int, sem_getvalue)(sem_t *s, int *value)
{
	return errno_result(semaphore_value(SEM(s), value, DOOR_CALLER));
}

DOOR(sem_t *, sem_open)(const char *name, int flags, ...)
{
	(void)name;
	(void)flags;
	sched_refused("sem_open", DOOR_CALLER);
	errno = ENOSYS;
	return SEM_FAILED;
}
