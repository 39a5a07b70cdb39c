/* Unnamed semaphores. */
#include "runtime/sched/semaphore.h"

#include <semaphore.h>

#include "runtime/interpose/interpose.h"
#include "runtime/sched/freed.h"

#define SEM(s) ((struct vsem *)(s))

HD_EXPORT int sem_init(sem_t *s, int shared, unsigned value)
{
	if (shared) {
		sched_refused("sem_init of a process-shared semaphore", CALLER);
		return errno_result(ENOSYS);
	}
	freed_check((u64)s, "a semaphore", CALLER);
	return errno_result(semaphore_init(SEM(s), value));
}

SHIM(int, sem_destroy)(sem_t *s)
{
	return errno_result(semaphore_destroy(SEM(s), SHIM_CALLER));
}

SHIM(int, sem_wait)(sem_t *s)
{
	return errno_result(semaphore_wait(SEM(s), 0, SHIM_CALLER));
}

SHIM(int, sem_trywait)(sem_t *s)
{
	return errno_result(semaphore_trywait(SEM(s), SHIM_CALLER));
}

SHIM(int, sem_clockwait)(sem_t *s, clockid_t clock, const struct timespec *ts)
{
	if (!timespec_ok(ts))
		return errno_result(EINVAL);
	u64 deadline = clock_deadline_at(clock, ts->tv_sec, ts->tv_nsec);
	return errno_result(semaphore_wait(SEM(s), deadline, SHIM_CALLER));
}

HD_EXPORT int sem_timedwait(sem_t *s, const struct timespec *ts)
{
	return sem_clockwait(s, CLOCK_REALTIME, ts);
}

SHIM(int, sem_post)(sem_t *s)
{
	return errno_result(semaphore_post(SEM(s), SHIM_CALLER));
}

SHIM(int, sem_getvalue)(sem_t *s, int *value)
{
	return errno_result(semaphore_value(SEM(s), value, SHIM_CALLER));
}

HD_EXPORT sem_t *sem_open(const char *name, int flags, ...)
{
	(void)name;
	(void)flags;
	sched_refused("sem_open", CALLER);
	errno = ENOSYS;
	return SEM_FAILED;
}
