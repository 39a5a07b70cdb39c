/* Mutexes, condition variables, reader-writer locks, spin locks and barriers of POSIX threads. */
#include <pthread.h>

#include "runtime/interpose/interpose.h"
#include "runtime/sched/cond.h"
#include "runtime/sched/freed.h"
#include "runtime/sched/mutex.h"
#include "runtime/sched/rwlock.h"
#include "runtime/sched/semaphore.h"

#define MUTEX(m) ((struct vmutex *)(m))
#define COND(c) ((struct vcond *)(c))
#define RWLOCK(l) ((struct vrwlock *)(l))
#define BARRIER(b) ((struct vbarrier *)(b))

static u64 deadline(clockid_t clock, const struct timespec *ts)
{
	return clock_deadline_at(clock, ts->tv_sec, ts->tv_nsec);
}

/*
 * Process-shared objects are like others: the program is one process (fork is refused), and a mapping that
 * other processes could write is refused, too.
 */

/* --- mutexes --- */

DOOR(int, pthread_mutex_init)(pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
	int kind = PTHREAD_MUTEX_TIMED_NP, robust = PTHREAD_MUTEX_STALLED;
	if (attr) {
		pthread_mutexattr_gettype(attr, &kind);
		pthread_mutexattr_getrobust(attr, &robust);
	}
	freed_check((u64)m, "a mutex", DOOR_CALLER);
	return mutex_init(MUTEX(m), robust == PTHREAD_MUTEX_ROBUST ? kind | MUTEX_ROBUST : kind);
}

DOOR(int, pthread_mutex_destroy)(pthread_mutex_t *m)
{
	return mutex_destroy(MUTEX(m), DOOR_CALLER);
}

DOOR(int, pthread_mutex_lock)(pthread_mutex_t *m)
{
	return mutex_lock(MUTEX(m), 0, DOOR_CALLER);
}

DOOR(int, pthread_mutex_trylock)(pthread_mutex_t *m)
{
	return mutex_trylock(MUTEX(m), DOOR_CALLER);
}

DOOR(int, pthread_mutex_unlock)(pthread_mutex_t *m)
{
	return mutex_unlock(MUTEX(m), DOOR_CALLER);
}

DOOR(int, pthread_mutex_clocklock)(pthread_mutex_t *m, clockid_t clock, const struct timespec *ts)
{
	return timespec_ok(ts) ? mutex_lock(MUTEX(m), deadline(clock, ts), DOOR_CALLER) : EINVAL;
}

DOOR(int, pthread_mutex_timedlock)(pthread_mutex_t *m, const struct timespec *ts)
{
	return timespec_ok(ts) ? mutex_lock(MUTEX(m), deadline(CLOCK_REALTIME, ts), DOOR_CALLER) : EINVAL;
}

DOOR(int, pthread_mutex_consistent)(pthread_mutex_t *m)
{
	return mutex_consistent(MUTEX(m), DOOR_CALLER);
}

DOOR(int, pthread_mutex_getprioceiling)(const pthread_mutex_t *m, int *ceiling)
{
	(void)m;
	(void)ceiling;
	return EINVAL;
}

/* --- condition variables --- */

DOOR(int, pthread_cond_init)(pthread_cond_t *c, const pthread_condattr_t *attr)
{
	clockid_t clock = CLOCK_REALTIME;
	if (attr)
		pthread_condattr_getclock(attr, &clock);
	freed_check((u64)c, "a condition variable", DOOR_CALLER);
	return cond_init(COND(c), (u32)clock);
}

DOOR(int, pthread_cond_destroy)(pthread_cond_t *c)
{
	return cond_destroy(COND(c), DOOR_CALLER);
}

DOOR(int, pthread_cond_wait)(pthread_cond_t *c, pthread_mutex_t *m)
{
	return cond_wait(COND(c), MUTEX(m), 0, DOOR_CALLER);
}

DOOR(int, pthread_cond_clockwait)
(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *ts)
{
	return timespec_ok(ts) ? cond_wait(COND(c), MUTEX(m), deadline(clock, ts), DOOR_CALLER) : EINVAL;
}

DOOR(int, pthread_cond_timedwait)(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *ts)
{
	return timespec_ok(ts)
		       ? cond_wait(COND(c), MUTEX(m), deadline((clockid_t)COND(c)->clock, ts), DOOR_CALLER)
		       : EINVAL;
}

DOOR(int, pthread_cond_signal)(pthread_cond_t *c)
{
	return cond_signal(COND(c), DOOR_CALLER);
}

DOOR(int, pthread_cond_broadcast)(pthread_cond_t *c)
{
	return cond_broadcast(COND(c), DOOR_CALLER);
}

/* --- reader-writer locks --- */

DOOR(int, pthread_rwlock_init)(pthread_rwlock_t *l, const pthread_rwlockattr_t *attr)
{
	int kind = PTHREAD_RWLOCK_DEFAULT_NP;
	if (attr)
		pthread_rwlockattr_getkind_np(attr, &kind);
	freed_check((u64)l, "a rwlock", DOOR_CALLER);
	return rwlock_init(RWLOCK(l), (u32)kind);
}

DOOR(int, pthread_rwlock_destroy)(pthread_rwlock_t *l)
{
	return rwlock_destroy(RWLOCK(l), DOOR_CALLER);
}

DOOR(int, pthread_rwlock_rdlock)(pthread_rwlock_t *l)
{
	return rwlock_rdlock(RWLOCK(l), 0, DOOR_CALLER);
}

DOOR(int, pthread_rwlock_wrlock)(pthread_rwlock_t *l)
{
	return rwlock_wrlock(RWLOCK(l), 0, DOOR_CALLER);
}

DOOR(int, pthread_rwlock_tryrdlock)(pthread_rwlock_t *l)
{
	return rwlock_tryrdlock(RWLOCK(l), DOOR_CALLER);
}

DOOR(int, pthread_rwlock_trywrlock)(pthread_rwlock_t *l)
{
	return rwlock_trywrlock(RWLOCK(l), DOOR_CALLER);
}

DOOR(int, pthread_rwlock_timedrdlock)(pthread_rwlock_t *l, const struct timespec *ts)
{
	return timespec_ok(ts) ? rwlock_rdlock(RWLOCK(l), deadline(CLOCK_REALTIME, ts), DOOR_CALLER) : EINVAL;
}

DOOR(int, pthread_rwlock_timedwrlock)(pthread_rwlock_t *l, const struct timespec *ts)
{
	return timespec_ok(ts) ? rwlock_wrlock(RWLOCK(l), deadline(CLOCK_REALTIME, ts), DOOR_CALLER) : EINVAL;
}

DOOR(int, pthread_rwlock_clockrdlock)(pthread_rwlock_t *l, clockid_t clock, const struct timespec *ts)
{
	return timespec_ok(ts) ? rwlock_rdlock(RWLOCK(l), deadline(clock, ts), DOOR_CALLER) : EINVAL;
}

DOOR(int, pthread_rwlock_clockwrlock)(pthread_rwlock_t *l, clockid_t clock, const struct timespec *ts)
{
	return timespec_ok(ts) ? rwlock_wrlock(RWLOCK(l), deadline(clock, ts), DOOR_CALLER) : EINVAL;
}

DOOR(int, pthread_rwlock_unlock)(pthread_rwlock_t *l)
{
	return rwlock_unlock(RWLOCK(l), DOOR_CALLER);
}

/* --- spin locks --- */

DOOR(int, pthread_spin_init)(pthread_spinlock_t *s, int shared)
{
	(void)shared;
	freed_check((u64)s, "a spin lock", DOOR_CALLER);
	return spin_init((struct vspin *)s);
}

DOOR(int, pthread_spin_destroy)(pthread_spinlock_t *s)
{
	return spin_destroy((struct vspin *)s, DOOR_CALLER);
}

DOOR(int, pthread_spin_lock)(pthread_spinlock_t *s)
{
	return spin_lock((struct vspin *)s, DOOR_CALLER);
}

DOOR(int, pthread_spin_trylock)(pthread_spinlock_t *s)
{
	return spin_trylock((struct vspin *)s, DOOR_CALLER);
}

DOOR(int, pthread_spin_unlock)(pthread_spinlock_t *s)
{
	return spin_unlock((struct vspin *)s, DOOR_CALLER);
}

/* --- barriers --- */

DOOR(int, pthread_barrier_init)(pthread_barrier_t *b, const pthread_barrierattr_t *attr, unsigned count)
{
	(void)attr;
	freed_check((u64)b, "a barrier", DOOR_CALLER);
	return barrier_init(BARRIER(b), count);
}

DOOR(int, pthread_barrier_wait)(pthread_barrier_t *b)
{
	return barrier_wait(BARRIER(b), DOOR_CALLER);
}

DOOR(int, pthread_barrier_destroy)(pthread_barrier_t *b)
{
	return barrier_destroy(BARRIER(b), DOOR_CALLER);
}
