/* <threads.h>. The types are those of POSIX threads under other names. */
#include <pthread.h>
#include <threads.h>

#include "runtime/interpose/interpose.h"
#include "runtime/interpose/keys.h"
#include "runtime/memory/unseen.h"
#include "runtime/sched/cond.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/mutex.h"
#include "runtime/sched/thread.h"

#define MUTEX(m) ((struct vmutex *)(m))
#define COND(c) ((struct vcond *)(c))
#define STACK (8UL << 20)

static int result(int error)
{
	switch (error) {
	case 0:
		return thrd_success;
	case ENOMEM:
		return thrd_nomem;
	case ETIMEDOUT:
		return thrd_timedout;
	case EBUSY:
		return thrd_busy;
	default:
		return thrd_error;
	}
}

static u64 deadline(const struct timespec *ts)
{
	return clock_deadline_at(CLOCK_REALTIME, ts->tv_sec, ts->tv_nsec);
}

/* An int result travels in the low half of the fiber's result. */
DOOR(int, thrd_create)(thrd_t *t, thrd_start_t fn, void *arg)
{
	u64 tcb;
	unseen_look();
	int r = thread_create(&tcb, (u64)fn, (u64)arg, STACK, false, DOOR_CALLER);
	if (!r)
		*t = tcb;
	return result(r == EAGAIN ? ENOMEM : r);
}

static int thread_join_int(thrd_t t, int *value)
{
	u64 got;
	int r = thread_join(t, &got, 0, false);
	if (!r && value)
		*value = (int)got;
	return r;
}

DOOR(int, thrd_join)(thrd_t t, int *value)
{
	return result(thread_join_int(t, value));
}

DOOR(int, thrd_detach)(thrd_t t)
{
	return result(thread_detach(t));
}

HD_EXPORT void thrd_exit(int value)
{
	thread_exit((u64)(u32)value);
}

HD_EXPORT thrd_t thrd_current(void)
{
	return fiber_get_fs();
}

DOOR(void, thrd_yield)(void)
{
	thread_yield();
}

DOOR(int, mtx_init)(mtx_t *m, int type)
{
	return result(mutex_init(MUTEX(m),
				 type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE_NP : PTHREAD_MUTEX_TIMED_NP));
}

DOOR(void, mtx_destroy)(mtx_t *m)
{
	mutex_destroy(MUTEX(m), DOOR_CALLER);
}

DOOR(int, mtx_lock)(mtx_t *m)
{
	return result(mutex_lock(MUTEX(m), 0, DOOR_CALLER));
}

DOOR(int, mtx_trylock)(mtx_t *m)
{
	return result(mutex_trylock(MUTEX(m), DOOR_CALLER));
}

DOOR(int, mtx_timedlock)(mtx_t *m, const struct timespec *ts)
{
	return timespec_ok(ts) ? result(mutex_lock(MUTEX(m), deadline(ts), DOOR_CALLER)) : thrd_error;
}

DOOR(int, mtx_unlock)(mtx_t *m)
{
	return result(mutex_unlock(MUTEX(m), DOOR_CALLER));
}

DOOR(int, cnd_init)(cnd_t *c)
{
	return result(cond_init(COND(c), CLOCK_REALTIME));
}

DOOR(void, cnd_destroy)(cnd_t *c)
{
	cond_destroy(COND(c), DOOR_CALLER);
}

DOOR(int, cnd_wait)(cnd_t *c, mtx_t *m)
{
	return result(cond_wait(COND(c), MUTEX(m), 0, DOOR_CALLER));
}

DOOR(int, cnd_timedwait)(cnd_t *c, mtx_t *m, const struct timespec *ts)
{
	return timespec_ok(ts) ? result(cond_wait(COND(c), MUTEX(m), deadline(ts), DOOR_CALLER)) : thrd_error;
}

DOOR(int, cnd_signal)(cnd_t *c)
{
	return result(cond_signal(COND(c), DOOR_CALLER));
}

DOOR(int, cnd_broadcast)(cnd_t *c)
{
	return result(cond_broadcast(COND(c), DOOR_CALLER));
}

DOOR(int, tss_create)(tss_t *key, tss_dtor_t destructor)
{
	return result(keys_create(key, (u64)destructor));
}

DOOR(void, tss_delete)(tss_t key)
{
	keys_delete(key);
}

DOOR(void *, tss_get)(tss_t key)
{
	return (void *)key_get(key);
}

DOOR(int, tss_set)(tss_t key, void *value)
{
	return result(keys_set(key, (u64)value));
}
