/* pthread_create and what belongs to the life of a thread. */
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>

#include "runtime/interpose/interpose.h"
#include "runtime/interpose/keys.h"
#include "runtime/memory/unseen.h"
#include "runtime/sched/access.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/thread.h"
#include "runtime/rt.h"
#include "runtime/vkernel/vk.h"

#define DEFAULT_STACK (8UL << 20)

static __attribute__((noinline)) int create(pthread_t *t, const pthread_attr_t *attr, void *(*fn)(void *),
					    void *arg, u64 pc)
{
	size_t stack = DEFAULT_STACK;
	int detached = PTHREAD_CREATE_JOINABLE;
	if (attr) {
		pthread_attr_getstacksize(attr, &stack);
		pthread_attr_getdetachstate(attr, &detached);
	}
	if (stack < (size_t)PTHREAD_STACK_MIN)
		return EINVAL;
	u64 tcb;
	int r = thread_create(&tcb, (u64)fn, (u64)arg, HD_ROUND_UP(stack, HD_PAGE),
			      detached == PTHREAD_CREATE_DETACHED, pc);
	if (!r)
		*t = tcb;
	return r;
}

DOOR(int, pthread_create)(pthread_t *t, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
	unseen_look();
	return create(t, attr, fn, arg, DOOR_CALLER);
}

DOOR(int, pthread_join)(pthread_t t, void **result)
{
	return thread_join(t, (u64 *)result, 0, false);
}

DOOR(int, pthread_tryjoin_np)(pthread_t t, void **result)
{
	return thread_join(t, (u64 *)result, 0, true);
}

static int join_until(pthread_t t, void **result, clockid_t clock, const struct timespec *ts)
{
	return thread_join(t, (u64 *)result, clock_deadline_at(clock, ts->tv_sec, ts->tv_nsec), false);
}

DOOR(int, pthread_clockjoin_np)(pthread_t t, void **result, clockid_t clock, const struct timespec *ts)
{
	return join_until(t, result, clock, ts);
}

DOOR(int, pthread_timedjoin_np)(pthread_t t, void **result, const struct timespec *ts)
{
	return join_until(t, result, CLOCK_REALTIME, ts);
}

DOOR(int, pthread_detach)(pthread_t t)
{
	return thread_detach(t);
}

HD_EXPORT void pthread_exit(void *result)
{
	thread_exit((u64)result);
}

HD_EXPORT pthread_t pthread_self(void)
{
	return fiber_get_fs();
}

DOOR(int, pthread_cancel)(pthread_t t)
{
	return thread_cancel(t);
}

DOOR(void, pthread_testcancel)(void)
{
	thread_testcancel();
}

DOOR(int, pthread_setcancelstate)(int state, int *old)
{
	return thread_cancel_state(state, old);
}

DOOR(int, pthread_setcanceltype)(int type, int *old)
{
	return thread_cancel_type(type, old);
}

DOOR(int, pthread_setname_np)(pthread_t t, const char *name)
{
	const struct fiber *f = fiber_by_tcb(t);
	if (!f)
		return ESRCH;
	if (str_len(name) >= sizeof(f->name))
		return ERANGE;
	return (int)-vk_thread_set_name(fiber_slot(f), name);
}

DOOR(int, pthread_getname_np)(pthread_t t, char *buf, size_t cap)
{
	const struct fiber *f = fiber_by_tcb(t);
	if (!f)
		return ESRCH;
	if (cap < sizeof(f->name))
		return ERANGE;
	return (int)-vk_thread_get_name(fiber_slot(f), buf);
}

DOOR(int, pthread_getattr_np)(pthread_t t, pthread_attr_t *attr)
{
	const struct fiber *f = fiber_by_tcb(t);
	if (!f)
		return ESRCH;
	int r = pthread_attr_init(attr);
	if (r)
		return r;
	u32 slot = fiber_slot(f);
	u64 low = fiber_stack_low(slot);
	pthread_attr_setstack(attr, (void *)low, (f->stack_size ? f->stack_size : DEFAULT_STACK));
	return pthread_attr_setdetachstate(attr,
					   f->detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
}

/* Signals that glibc keeps for itself. */
#define FIRST_INTERNAL 32
#define LAST_INTERNAL 33

static int thread_signal(pthread_t t, int sig, struct vk_call *c)
{
	const struct fiber *f = fiber_by_tcb(t);
	if (!f)
		return ESRCH;
	if (sig == FIRST_INTERNAL || sig == LAST_INTERNAL)
		return EINVAL;
	c->a[0] = RT_PID;
	c->a[1] = RT_PID + fiber_slot(f);
	c->a[2] = sig;
	return (int)-vk_syscall(c);
}

/* To a thread that has ended, but was not joined, it is sent with success, and lost. */
DOOR(int, pthread_kill)(pthread_t t, int sig)
{
	struct vk_call c = {.nr = SYS_tgkill, .pc = DOOR_CALLER, .end_unseen = true};
	int r = thread_signal(t, sig, &c);
	return r == ESRCH && fiber_by_tcb(t) ? 0 : r;
}

/* glibc's does tell. */
DOOR(int, pthread_sigqueue)(pthread_t t, int sig, const union sigval value)
{
	siginfo_t info = {.si_signo = sig, .si_code = SI_QUEUE};
	info.si_pid = RT_PID; /* not in the initializer: the two are members of one union */
	info.si_value = value;
	struct vk_call c = {.nr = SYS_rt_tgsigqueueinfo, .a = {0, 0, 0, (long)&info}, .pc = DOOR_CALLER};
	return thread_signal(t, sig, &c);
}

DOOR(int, pthread_getcpuclockid)(pthread_t t, clockid_t *clock)
{
	(void)t;
	*clock = CLOCK_MONOTONIC;
	return 0;
}

/*
 * Priorities and processors make no difference here: every schedule is explored. But they are remembered: by
 * the virtual kernel, under the thread's number. Result of the system call, or -ESRCH.
 */
static HD_NOINLINE long thread_call(long nr, pthread_t t, long b, long c, u64 pc)
{
	const struct fiber *f = fiber_by_tcb(t);
	struct vk_call k = {.nr = nr, .a = {f ? vk_thread_id(fiber_slot(f)) : 0, b, c}, .pc = pc};
	return f ? vk_syscall(&k) : -ESRCH;
}

DOOR(int, pthread_setschedparam)(pthread_t t, int policy, const struct sched_param *p)
{
	return (int)-thread_call(SYS_sched_setscheduler, t, policy, (long)p, DOOR_CALLER);
}

DOOR(int, pthread_getschedparam)(pthread_t t, int *policy, struct sched_param *p)
{
	long r = thread_call(SYS_sched_getparam, t, (long)p, 0, DOOR_CALLER);
	if (r)
		return (int)-r;
	r = thread_call(SYS_sched_getscheduler, t, 0, 0, DOOR_CALLER);
	if (r < 0)
		return (int)-r;
	*policy = (int)r;
	return 0;
}

DOOR(int, pthread_setschedprio)(pthread_t t, int priority)
{
	struct sched_param p = {.sched_priority = priority};
	return (int)-thread_call(SYS_sched_setparam, t, (long)&p, 0, DOOR_CALLER);
}

DOOR(int, pthread_setaffinity_np)(pthread_t t, size_t size, const cpu_set_t *set)
{
	return (int)-thread_call(SYS_sched_setaffinity, t, (long)size, (long)set, DOOR_CALLER);
}

DOOR(int, pthread_getaffinity_np)(pthread_t t, size_t size, cpu_set_t *set)
{
	long r = thread_call(SYS_sched_getaffinity, t, (long)size, (long)set, DOOR_CALLER);
	if (r < 0)
		return (int)-r;
	for (size_t i = (size_t)r; i < size; i++)
		((char *)set)[i] = 0;
	return 0;
}

/* pthread_yield is another name of it in the headers. */
DOOR(int, sched_yield)(void)
{
	return thread_yield();
}

DOOR(int, pthread_key_create)(pthread_key_t *key, void (*destructor)(void *))
{
	return keys_create(key, (u64)destructor);
}

DOOR(int, pthread_key_delete)(pthread_key_t key)
{
	return keys_delete(key);
}

DOOR(void *, pthread_getspecific)(pthread_key_t key)
{
	return (void *)key_get(key);
}

DOOR(int, pthread_setspecific)(pthread_key_t key, const void *value)
{
	return keys_set(key, (u64)value);
}
