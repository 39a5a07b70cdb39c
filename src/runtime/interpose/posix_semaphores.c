/* Semaphores. */
#include "runtime/sched/semaphore.h"

#include <fcntl.h>
#include <semaphore.h>
#include <stdarg.h>

#include "runtime/interpose/interpose.h"
#include "runtime/sched/freed.h"

#define SEM(s) ((struct vsem *)(s))

DOOR(int, sem_init)(sem_t *s, int shared, unsigned value)
{
	(void)shared; /* pthread_locks.c */
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

/* The mode says who else may open it: nobody else is there. */
DOOR(sem_t *, sem_open)(const char *name, int flags, ...)
{
	va_list list;
	va_start(list, flags);
	unsigned value = 0;
	if (flags & O_CREAT) {
		(void)va_arg(list, mode_t);
		value = va_arg(list, unsigned);
	}
	va_end(list);
	u64 sem;
	long err = vk_sem_open(name, flags, value, DOOR_CALLER, &sem);
	if (!err)
		return (sem_t *)sem;
	errno = (int)-err;
	return SEM_FAILED;
}

DOOR(int, sem_close)(sem_t *s)
{
	return errno_result((int)-vk_sem_close((u64)s, DOOR_CALLER));
}

DOOR(int, sem_unlink)(const char *name)
{
	return errno_result((int)-vk_sem_unlink(name, DOOR_CALLER));
}
