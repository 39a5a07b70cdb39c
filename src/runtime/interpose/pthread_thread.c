/* pthread_create and what belongs to the life of a thread. */
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>

#include "runtime/interpose/interpose.h"
#include "runtime/sched/access.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/thread.h"
#include "runtime/rt.h"
#include "runtime/vkernel/vk.h"

#define DEFAULT_STACK (8UL << 20)
#define CPUS 4

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

SHIM_DEEP(int, pthread_create)(pthread_t *t, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
	return create(t, attr, fn, arg, SHIM_CALLER);
}

SHIM(int, pthread_join)(pthread_t t, void **result)
{
	return thread_join(t, (u64 *)result, 0, false);
}

SHIM(int, pthread_tryjoin_np)(pthread_t t, void **result)
{
	return thread_join(t, (u64 *)result, 0, true);
}

SHIM(int, pthread_clockjoin_np)(pthread_t t, void **result, clockid_t clock, const struct timespec *ts)
{
	return thread_join(t, (u64 *)result, clock_deadline_at(clock, ts->tv_sec, ts->tv_nsec), false);
}

HD_EXPORT int pthread_timedjoin_np(pthread_t t, void **result, const struct timespec *ts)
{
	return pthread_clockjoin_np(t, result, CLOCK_REALTIME, ts);
}

SHIM(int, pthread_detach)(pthread_t t)
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

SHIM(int, pthread_cancel)(pthread_t t)
{
	return thread_cancel(t);
}

SHIM(void, pthread_testcancel)(void)
{
	thread_testcancel();
}

HD_EXPORT int pthread_setcancelstate(int state, int *old)
{
	return thread_cancel_state(state, old);
}

HD_EXPORT int pthread_setcanceltype(int type, int *old)
{
	if (old)
		*old = PTHREAD_CANCEL_DEFERRED;
	if (type == PTHREAD_CANCEL_ASYNCHRONOUS)
		sched_refused("pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS)", CALLER);
	return 0;
}

HD_EXPORT int pthread_setname_np(pthread_t t, const char *name)
{
	struct fiber *f = fiber_by_tcb(t);
	if (!f)
		return ESRCH;
	if (str_len(name) >= sizeof f->name)
		return ERANGE;
	access_declare(thread_object(fiber_slot(f)), 1, ACCESS_WRITE);
	for (u32 i = 0; i < sizeof f->name; i++)
		f->name[i] = 0;
	str_copy(f->name, sizeof f->name, name);
	return 0;
}

HD_EXPORT int pthread_getname_np(pthread_t t, char *buf, size_t cap)
{
	const struct fiber *f = fiber_by_tcb(t);
	if (!f)
		return ESRCH;
	if (cap < sizeof f->name)
		return ERANGE;
	access_declare(thread_object(fiber_slot(f)), 1, ACCESS_READ);
	str_copy(buf, cap, f->name);
	return 0;
}

HD_EXPORT int pthread_getattr_np(pthread_t t, pthread_attr_t *attr)
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

/* To a thread that has ended, but was not joined, it is sent with success, and lost. */
static __attribute__((noinline)) int thread_signal(pthread_t t, int sig, struct vk_call *c)
{
	const struct fiber *f = fiber_by_tcb(t);
	if (!f)
		return ESRCH;
	if (sig == FIRST_INTERNAL || sig == LAST_INTERNAL)
		return EINVAL;
	c->a[0] = RT_PID;
	c->a[1] = RT_PID + fiber_slot(f);
	c->a[2] = sig;
	c->end_unseen = true;
	long r = vk_syscall(c);
	return r == -ESRCH ? 0 : (int)-r;
}

SHIM_DEEP(int, pthread_kill)(pthread_t t, int sig)
{
	struct vk_call c = {.nr = SYS_tgkill, .pc = SHIM_CALLER};
	return thread_signal(t, sig, &c);
}

SHIM_DEEP(int, pthread_sigqueue)(pthread_t t, int sig, const union sigval value)
{
	siginfo_t info = {.si_signo = sig, .si_code = SI_QUEUE, .si_pid = RT_PID, .si_value = value};
	struct vk_call c = {.nr = SYS_rt_tgsigqueueinfo, .a = {0, 0, 0, (long)&info}, .pc = SHIM_CALLER};
	return thread_signal(t, sig, &c);
}

HD_EXPORT int pthread_getcpuclockid(pthread_t t, clockid_t *clock)
{
	(void)t;
	*clock = CLOCK_MONOTONIC;
	return 0;
}

/* Priorities and processors make no difference here: every schedule is explored. */
HD_EXPORT int pthread_setschedparam(pthread_t t, int policy, const struct sched_param *p)
{
	(void)policy;
	(void)p;
	return fiber_by_tcb(t) ? 0 : ESRCH;
}

HD_EXPORT int pthread_getschedparam(pthread_t t, int *policy, struct sched_param *p)
{
	*policy = SCHED_OTHER;
	p->sched_priority = 0;
	return fiber_by_tcb(t) ? 0 : ESRCH;
}

HD_EXPORT int pthread_setschedprio(pthread_t t, int priority)
{
	(void)priority;
	return fiber_by_tcb(t) ? 0 : ESRCH;
}

HD_EXPORT int pthread_setaffinity_np(pthread_t t, size_t size, const cpu_set_t *set)
{
	(void)size;
	(void)set;
	return fiber_by_tcb(t) ? 0 : ESRCH;
}

HD_EXPORT int pthread_getaffinity_np(pthread_t t, size_t size, cpu_set_t *set)
{
	for (size_t i = 0; i < size; i++)
		((char *)set)[i] = 0;
	((char *)set)[0] = (1 << CPUS) - 1;
	return fiber_by_tcb(t) ? 0 : ESRCH;
}

/* pthread_yield is another name of it in the headers. */
SHIM(int, sched_yield)(void)
{
	return thread_yield();
}

SHIM(int, pthread_key_create)(pthread_key_t *key, void (*destructor)(void *))
{
	return key_create(key, (u64)destructor);
}

SHIM(int, pthread_key_delete)(pthread_key_t key)
{
	return key_delete(key);
}

HD_EXPORT void *pthread_getspecific(pthread_key_t key)
{
	return (void *)key_get(key);
}

SHIM(int, pthread_setspecific)(pthread_key_t key, const void *value)
{
	return key_set(key, (u64)value);
}
