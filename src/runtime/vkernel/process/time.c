/*
 * time.c: clocks and sleeping, in virtual time.
 */
#include <linux/time.h>

#include "runtime/sched/op_classes.h"
#include "runtime/vkernel/core/vk_priv.h"

#define SECOND 1000000000u
#define NEVER (~(u64)0 >> 2) /* far away, and sums don't overflow */

bool vk_time_valid(const struct __kernel_timespec *t)
{
	return t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < SECOND;
}

u64 vk_time_ns(const struct __kernel_timespec *t)
{
	return (u64)t->tv_sec > NEVER / SECOND ? NEVER : (u64)t->tv_sec * SECOND + (u64)t->tv_nsec;
}

enum clock_kind { CLOCK_NONE, CLOCK_WALL, CLOCK_STEADY, CLOCK_CPU };

static enum clock_kind clock_kind(int id)
{
	switch (id) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_REALTIME_ALARM:
	case CLOCK_TAI:
		return CLOCK_WALL;
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_BOOTTIME:
	case CLOCK_BOOTTIME_ALARM:
		return CLOCK_STEADY;
	case CLOCK_PROCESS_CPUTIME_ID:
	case CLOCK_THREAD_CPUTIME_ID:
		return CLOCK_CPU;
	}
	return id < 0 ? CLOCK_CPU : CLOCK_NONE; /* negative: another thread's CPU time */
}

/* Nanoseconds the clock shows. Computing costs no virtual time, so CPU time stands still. */
static u64 clock_value(enum clock_kind kind)
{
	if (kind == CLOCK_CPU)
		return 0;
	u64 now = clock_read();
	return now + (u64)(kind == CLOCK_WALL ? CLOCK_EPOCH_REALTIME : CLOCK_EPOCH_MONOTONIC) * SECOND;
}

static long give_time(long to, u64 ns)
{
	struct __kernel_timespec *t = vk_user(to);
	if (!vk_user_out_ok((u64)t, sizeof(*t)))
		return -EFAULT;
	t->tv_sec = (long long)(ns / SECOND);
	t->tv_nsec = (long long)(ns % SECOND);
	return 0;
}

long vk_sys_clock_gettime(struct vk_call *c)
{
	enum clock_kind kind = clock_kind((int)c->a[0]);
	return kind == CLOCK_NONE ? -EINVAL : give_time(c->a[1], clock_value(kind));
}

long vk_sys_clock_getres(struct vk_call *c)
{
	if (clock_kind((int)c->a[0]) == CLOCK_NONE)
		return -EINVAL;
	return c->a[1] ? give_time(c->a[1], 1) : 0;
}

long vk_sys_gettimeofday(struct vk_call *c)
{
	u64 ns = clock_value(CLOCK_WALL);
	long *tv = vk_user(c->a[0]);
	if (tv && !vk_user_out_ok((u64)tv, 2 * sizeof(*tv)))
		return -EFAULT;
	if (tv) {
		tv[0] = (long)(ns / SECOND);
		tv[1] = (long)(ns % SECOND / 1000);
	}
	if (c->a[1] && vk_user_out_ok((u64)c->a[1], 8))
		memset(vk_user(c->a[1]), 0, 8);
	return 0;
}

long vk_sys_time(struct vk_call *c)
{
	long now = (long)(clock_value(CLOCK_WALL) / SECOND);
	if (c->a[0] && !vk_user_out_ok((u64)c->a[0], sizeof(now)))
		return -EFAULT;
	if (c->a[0])
		*(long *)c->a[0] = now;
	return now;
}

/* CPU times: all zero; the result counts clock ticks (100 a second) since the start. */
long vk_sys_times(struct vk_call *c)
{
	if (c->a[0] && !vk_user_out_ok((u64)c->a[0], 32))
		return -EFAULT;
	if (c->a[0])
		memset(vk_user(c->a[0]), 0, 32);
	return (long)(clock_read() / (SECOND / 100));
}

long vk_sys_getrusage(struct vk_call *c)
{
	const size_t size = 144;
	if (!vk_user_out_ok((u64)c->a[1], size))
		return -EFAULT;
	memset(vk_user(c->a[1]), 0, size);
	return 0;
}

/* rest: where to tell how much of the time was left, 0: nobody asks. */
static long sleep_for(struct vk_call *c, u64 ns, long rest)
{
	struct op o = {.kind = OP_SLEEP,
		       .flags = OPF_CANCEL | OPF_EINTR | OPF_SLEEP,
		       .arg = ns,
		       .deadline = clock_deadline(ns)};
	if (vk_step(c, &o) != VK_RESTART)
		return 0;
	u64 end = o.deadline - 1, now = clock_now();
	if (rest)
		give_time(rest, end > now ? end - now : 0);
	return VK_RESTART;
}

static long check_sleep(const struct __kernel_timespec *t)
{
	if (!vk_user_ok((u64)t, sizeof(*t)))
		return -EFAULT;
	return vk_time_valid(t) ? 0 : -EINVAL;
}

long vk_sys_nanosleep(struct vk_call *c)
{
	const struct __kernel_timespec *t = vk_user(c->a[0]);
	long err = check_sleep(t);
	return err ? err : sleep_for(c, vk_time_ns(t), c->a[1]);
}

long vk_sys_clock_nanosleep(struct vk_call *c)
{
	const struct __kernel_timespec *t = vk_user(c->a[2]);
	enum clock_kind kind = clock_kind((int)c->a[0]);
	if (kind == CLOCK_NONE || c->a[0] == CLOCK_THREAD_CPUTIME_ID)
		return -EINVAL;
	if (kind == CLOCK_CPU) {
		vk_refuse(c, "clock_nanosleep on a CPU clock");
		return -EINVAL;
	}
	long err = check_sleep(t);
	if (err)
		return err;
	if (!(c->a[1] & TIMER_ABSTIME))
		return sleep_for(c, vk_time_ns(t), c->a[3]);
	u64 now = clock_value(kind), then = vk_time_ns(t);
	if (then > now)
		return sleep_for(c, then - now, 0);
	vk_cancel_point(c);
	return 0;
}
