/*
 * settings.c: what threads and the process set and get, and what makes no difference to any schedule: names,
 * processors, priorities, policies, limits, prctl. All of it is remembered, and read back.
 *
 * Everything is stored as the difference to what a program starts with, so that memory is zero until it is
 * changed.
 */
#include <linux/prctl.h>
#include <linux/resource.h>
#include <linux/sched.h>
#include <linux/sched/types.h>

#include "runtime/sched/thread.h"
#include "runtime/vkernel/core/vk_priv.h"

#define CPUS 4
#define ALL_CPUS ((1u << CPUS) - 1)
#define TIMER_SLACK 50000
#define NAME_SIZE sizeof(((struct fiber *)0)->name)

/* ---- whose ---- */

static struct vk_settings *settings_of(u32 slot)
{
	return &vk->settings[slot];
}

static bool slot_touch(const struct vk_call *c, u32 slot, enum access_mode mode)
{
	bool shows = vk_touch(c, vk_settings_object(slot), mode);
	if (slot != sched_self_slot()) /* whether it has ended shows */
		shows |= vk_touch(c, thread_end_object(slot), ACCESS_TRY);
	return shows;
}

/* The settings of a thread are used so; false: it has ended. The first thread's number lasts. */
static bool slot_use(struct vk_call *c, u32 slot, enum access_mode mode)
{
	if (slot_touch(c, slot, mode)) {
		vk_order(c, vk_settings_object(slot), mode);
		slot_touch(c, slot, mode);
	}
	return sched_alive(slot) || (slot == 0 && sched_fiber(slot));
}

/* Thread `tid` (0: the caller) as a slot; it is used so. -ESRCH: there is none. */
static long thread_use(struct vk_call *c, long tid, enum access_mode mode)
{
	u32 slot = tid ? (u32)(tid - VK_PID) : sched_self_slot();
	if (slot >= LAYOUT_MAX_FIBERS || !sched_fiber(slot))
		return -ESRCH;
	return slot_use(c, slot, mode) ? (long)slot : -ESRCH;
}

void vk_settings_inherit(u32 slot, u32 creator)
{
	static const struct vk_settings none;
	const struct vk_settings *from = settings_of(creator);
	const struct fiber *parent = sched_fiber(creator);
	struct fiber *child = sched_fiber(slot);
	if (memcmp(from, &none, sizeof(none))) {
		vk_declare(vk_settings_object(creator), ACCESS_READ);
		vk_declare(vk_settings_object(slot), ACCESS_WRITE);
		*settings_of(slot) = *from;
		settings_of(slot)->death_signal = 0;
	}
	if (parent && child && parent->name[0])
		memcpy(child->name, parent->name, NAME_SIZE);
}

void vk_settings_forget(u32 slot)
{
	static const struct vk_settings none;
	if (!memcmp(settings_of(slot), &none, sizeof(none)))
		return;
	vk_declare(vk_settings_object(slot), ACCESS_WRITE);
	*settings_of(slot) = none;
}

static bool may_do_all(struct vk_call *c)
{
	vk_use(c, VK_CREDENTIALS, ACCESS_READ);
	return vk_may_do_all();
}

/* ---- processors ---- */

long vk_sys_sched_getaffinity(struct vk_call *c)
{
	u64 *mask = vk_user(c->a[2]);
	if ((u64)c->a[1] < sizeof(*mask) || (c->a[1] & 7))
		return -EINVAL;
	long slot = thread_use(c, (int)c->a[0], ACCESS_READ);
	if (slot < 0)
		return slot;
	if (!vk_user_out_ok((u64)mask, sizeof(*mask)))
		return -EFAULT;
	*mask = settings_of((u32)slot)->affinity ^ ALL_CPUS;
	return sizeof(*mask);
}

long vk_sys_sched_setaffinity(struct vk_call *c)
{
	u64 mask = 0, size = HD_MIN((u64)c->a[1], sizeof(mask));
	if (!vk_user_ok((u64)c->a[2], size))
		return -EFAULT;
	memcpy(&mask, vk_user(c->a[2]), size);
	long slot = thread_use(c, (int)c->a[0], ACCESS_WRITE);
	if (slot < 0)
		return slot;
	if (!(mask & ALL_CPUS))
		return -EINVAL;
	settings_of((u32)slot)->affinity = (u8)((mask & ALL_CPUS) ^ ALL_CPUS);
	return 0;
}

/* ---- priorities and policies ---- */

static bool is_real_time(u32 policy)
{
	return policy == SCHED_FIFO || policy == SCHED_RR;
}

/* Real-time policies have priorities 1 to 99, the others none. */
long vk_sys_sched_get_priority_max(struct vk_call *c)
{
	u32 policy = (u32)c->a[0];
	return policy > SCHED_DEADLINE || policy == 4 ? -EINVAL : is_real_time(policy) ? 99 : 0;
}

long vk_sys_sched_get_priority_min(struct vk_call *c)
{
	u32 policy = (u32)c->a[0];
	return policy > SCHED_DEADLINE || policy == 4 ? -EINVAL : is_real_time(policy) ? 1 : 0;
}

/* A policy of -1: the one it has. */
static long set_policy(struct vk_call *c, long tid, long policy, int priority)
{
	const long reset_on_fork = SCHED_RESET_ON_FORK;
	if (tid < 0)
		return -EINVAL;
	long slot = thread_use(c, tid, ACCESS_WRITE);
	if (slot < 0)
		return slot;
	struct vk_settings *s = settings_of((u32)slot);
	bool reset = policy < 0 ? s->reset_on_fork : (policy & reset_on_fork) != 0;
	u32 kind = policy < 0 ? s->policy : (u32)(policy & ~reset_on_fork);
	if (kind > SCHED_IDLE || kind == 4)
		return -EINVAL; /* SCHED_DEADLINE has more to it than a priority */
	if (is_real_time(kind) ? priority < 1 || priority > 99 : priority != 0)
		return -EINVAL;
	if (is_real_time(kind) && (kind != s->policy || priority > s->priority) && !may_do_all(c))
		return -EPERM;
	s->policy = (u8)kind;
	s->priority = (u8)priority;
	s->reset_on_fork = reset;
	return 0;
}

long vk_sys_sched_setscheduler(struct vk_call *c)
{
	if (c->a[1] < 0 || !c->a[2])
		return -EINVAL;
	if (!vk_user_ok((u64)c->a[2], sizeof(int)))
		return -EFAULT;
	return set_policy(c, (int)c->a[0], c->a[1], *(int *)c->a[2]);
}

long vk_sys_sched_setparam(struct vk_call *c)
{
	if (!c->a[1])
		return -EINVAL;
	if (!vk_user_ok((u64)c->a[1], sizeof(int)))
		return -EFAULT;
	return set_policy(c, (int)c->a[0], -1, *(int *)c->a[1]);
}

long vk_sys_sched_getscheduler(struct vk_call *c)
{
	if ((int)c->a[0] < 0)
		return -EINVAL;
	long slot = thread_use(c, (int)c->a[0], ACCESS_READ);
	if (slot < 0)
		return slot;
	const struct vk_settings *s = settings_of((u32)slot);
	return s->policy | (s->reset_on_fork ? SCHED_RESET_ON_FORK : 0);
}

long vk_sys_sched_getparam(struct vk_call *c)
{
	if ((int)c->a[0] < 0 || !c->a[1])
		return -EINVAL;
	long slot = thread_use(c, (int)c->a[0], ACCESS_READ);
	if (slot < 0)
		return slot;
	if (!vk_user_out_ok((u64)c->a[1], sizeof(int)))
		return -EFAULT;
	*(int *)c->a[1] = settings_of((u32)slot)->priority;
	return 0;
}

long vk_sys_sched_getattr(struct vk_call *c)
{
	u32 size = (u32)c->a[2];
	if ((int)c->a[0] < 0 || !c->a[1] || size < SCHED_ATTR_SIZE_VER0 || size > HD_PAGE || c->a[3])
		return -EINVAL;
	long slot = thread_use(c, (int)c->a[0], ACCESS_READ);
	if (slot < 0)
		return slot;
	const struct vk_settings *s = settings_of((u32)slot);
	struct sched_attr attr = {.size = (u32)HD_MIN((u64)size, sizeof(attr)),
				  .sched_policy = s->policy,
				  .sched_flags = s->reset_on_fork ? SCHED_FLAG_RESET_ON_FORK : 0,
				  .sched_nice = s->nice,
				  .sched_priority = s->priority};
	if (!vk_user_out_ok((u64)c->a[1], attr.size))
		return -EFAULT;
	memcpy(vk_user(c->a[1]), &attr, attr.size);
	return 0;
}

static long set_nice(struct vk_call *c, struct vk_settings *s, int nice)
{
	nice = HD_MAX(-20, HD_MIN(19, nice));
	if (nice < s->nice && !may_do_all(c))
		return -EACCES;
	s->nice = (signed char)nice;
	return 0;
}

long vk_sys_sched_setattr(struct vk_call *c)
{
	struct sched_attr attr = {0};
	if ((int)c->a[0] < 0 || !c->a[1] || c->a[2])
		return -EINVAL;
	if (!vk_user_ok((u64)c->a[1], SCHED_ATTR_SIZE_VER0))
		return -EFAULT;
	memcpy(&attr, vk_user(c->a[1]), SCHED_ATTR_SIZE_VER0);
	if (attr.sched_policy == SCHED_DEADLINE || (attr.sched_flags & ~(u64)SCHED_FLAG_RESET_ON_FORK)) {
		vk_refuse(c, "sched_setattr (deadlines, clamping)");
		return -EINVAL;
	}
	long reset = attr.sched_flags & SCHED_FLAG_RESET_ON_FORK ? SCHED_RESET_ON_FORK : 0;
	long err = set_policy(c, (int)c->a[0], attr.sched_policy | reset, (int)attr.sched_priority);
	if (err || is_real_time(attr.sched_policy))
		return err;
	return set_nice(c, settings_of(c->a[0] ? (u32)(c->a[0] - VK_PID) : sched_self_slot()),
			attr.sched_nice);
}

/* Of a process: its first thread, as in Linux. Groups and users: all threads. */
static long nice_target(struct vk_call *c, enum access_mode mode)
{
	long who = (int)c->a[1];
	if ((u64)c->a[0] > PRIO_USER)
		return -EINVAL;
	if (c->a[0] == PRIO_PROCESS)
		return thread_use(c, who, mode);
	if (who && who != VK_PID && c->a[0] == PRIO_PGRP)
		return -ESRCH;
	if (mode == ACCESS_WRITE)
		vk_refuse(c, "setpriority (of a group or a user)");
	return thread_use(c, VK_PID, mode);
}

/* The system call counts from 40 down to 1. */
long vk_sys_getpriority(struct vk_call *c)
{
	long slot = nice_target(c, ACCESS_READ);
	return slot < 0 ? slot : 20 - settings_of((u32)slot)->nice;
}

long vk_sys_setpriority(struct vk_call *c)
{
	long slot = nice_target(c, ACCESS_WRITE);
	return slot < 0 ? slot : set_nice(c, settings_of((u32)slot), (int)c->a[2]);
}

long vk_sys_ioprio_get(struct vk_call *c)
{
	const int process = 1;
	if (c->a[0] != process)
		return c->a[0] == 2 || c->a[0] == 3 ? 0 : -EINVAL;
	long slot = thread_use(c, (int)c->a[1], ACCESS_READ);
	return slot < 0 ? slot : settings_of((u32)slot)->io_priority;
}

long vk_sys_ioprio_set(struct vk_call *c)
{
	const int process = 1;
	u32 class = (u32)c->a[2] >> 13;
	if (c->a[0] != process || class > 3)
		return -EINVAL;
	long slot = thread_use(c, (int)c->a[1], ACCESS_WRITE);
	if (slot < 0)
		return slot;
	settings_of((u32)slot)->io_priority = (u16)c->a[2];
	return 0;
}

/* ---- limits ---- */

static struct rlimit64 limit_at_start(u32 resource)
{
	const u64 infinite = ~(u64)0;
	switch (resource) {
	case RLIMIT_NOFILE:
		return (struct rlimit64){VK_MAX_FDS, VK_MAX_FDS};
	case RLIMIT_STACK:
		return (struct rlimit64){8u << 20, infinite};
	case RLIMIT_CORE:
		return (struct rlimit64){0, infinite};
	default:
		return (struct rlimit64){infinite, infinite};
	}
}

static struct rlimit64 limit_of(u32 resource)
{
	struct rlimit64 l = limit_at_start(resource);
	return (struct rlimit64){l.rlim_cur ^ vk->limit[resource].soft,
				 l.rlim_max ^ vk->limit[resource].hard};
}

u32 vk_fd_max(void)
{
	return (u32)((u64)VK_MAX_FDS ^ vk->limit[RLIMIT_NOFILE].soft);
}

u64 vk_limit_soft(u32 resource)
{
	return limit_of(resource).rlim_cur;
}

u64 vk_limit_hard(u32 resource)
{
	return limit_of(resource).rlim_max;
}

static long get_limit(struct vk_call *c, u32 resource, long to)
{
	vk_use(c, VK_LIMITS, ACCESS_READ);
	struct rlimit64 limit = limit_of(resource);
	memcpy(vk_user(to), &limit, sizeof(limit));
	return 0;
}

static long set_limit(struct vk_call *c, u32 resource, const struct rlimit64 *new)
{
	if (new->rlim_cur > new->rlim_max)
		return -EINVAL;
	vk_use(c, VK_LIMITS, ACCESS_WRITE);
	if (new->rlim_max > limit_of(resource).rlim_max)
		return -EPERM;
	struct rlimit64 start = limit_at_start(resource);
	vk->limit[resource].soft = start.rlim_cur ^ new->rlim_cur;
	vk->limit[resource].hard = start.rlim_max ^ new->rlim_max;
	return 0;
}

long vk_sys_getrlimit(struct vk_call *c)
{
	if ((u32)c->a[0] >= RLIM_NLIMITS)
		return -EINVAL;
	return vk_user_out_ok((u64)c->a[1], sizeof(struct rlimit64)) ? get_limit(c, (u32)c->a[0], c->a[1])
								     : -EFAULT;
}

long vk_sys_setrlimit(struct vk_call *c)
{
	if ((u32)c->a[0] >= RLIM_NLIMITS)
		return -EINVAL;
	if (!vk_user_ok((u64)c->a[1], sizeof(struct rlimit64)))
		return -EFAULT;
	return set_limit(c, (u32)c->a[0], vk_user(c->a[1]));
}

long vk_sys_prlimit64(struct vk_call *c)
{
	const struct rlimit64 *new = vk_user(c->a[2]);
	struct rlimit64 wanted = {0};
	int pid = (int)c->a[0];
	if (pid && pid != VK_PID)
		return -ESRCH;
	if ((u32)c->a[1] >= RLIM_NLIMITS)
		return -EINVAL;
	if ((new && !vk_user_ok((u64) new, sizeof(*new))) ||
	    (c->a[3] && !vk_user_out_ok((u64)c->a[3], sizeof(*new))))
		return -EFAULT;
	if (new)
		wanted = *new; /* both may be one place */
	if (new && c->a[3])    /* one moment: a step for the change is one for the look */
		vk_use(c, VK_LIMITS, ACCESS_WRITE);
	struct rlimit64 old = limit_of((u32)c->a[1]);
	if (!new)
		return c->a[3] ? get_limit(c, (u32)c->a[1], c->a[3]) : 0;
	long err = set_limit(c, (u32)c->a[1], &wanted);
	if (!err && c->a[3])
		memcpy(vk_user(c->a[3]), &old, sizeof(old));
	return err;
}

/* Of the calling thread alone. */
long vk_sys_personality(struct vk_call *c)
{
	struct vk_settings *s = settings_of(sched_self_slot());
	u32 old = s->personality, new = (u32)c->a[0];
	if (new != ~0u) {
		vk_declare(vk_settings_object(sched_self_slot()), ACCESS_WRITE);
		s->personality = new;
	}
	return old;
}

/* ---- prctl ---- */

static long set_name(struct vk_call *c, struct fiber *f, const char *name)
{
	if (!slot_use(c, fiber_slot(f), ACCESS_WRITE))
		return -ENOENT; /* /proc/self/task/TID/comm */
	vk_declare(thread_object(fiber_slot(f)), ACCESS_WRITE);
	memset(f->name, 0, NAME_SIZE);
	for (u32 i = 0; i < NAME_SIZE - 1 && vk_user_ok((u64)name + i, 1) && name[i]; i++)
		f->name[i] = name[i];
	return 0;
}

/* What the kernel called it when it was started. */
static HD_NOINLINE void name_at_start(char *to)
{
	char name[NAME_SIZE] = "";
	sys_call3(__NR_prctl, PR_GET_NAME, (long)name, 0);
	memcpy(to, name, NAME_SIZE);
}

static long get_name(struct vk_call *c, const struct fiber *f, char *to)
{
	if (!vk_user_out_ok((u64)to, NAME_SIZE))
		return -EFAULT;
	if (!slot_use(c, fiber_slot(f), ACCESS_READ))
		return -ENOENT; /* /proc/self/task/TID/comm */
	vk_declare(thread_object(fiber_slot(f)), ACCESS_READ);
	if (f->name[0])
		memcpy(to, f->name, NAME_SIZE);
	else
		name_at_start(to);
	return 0;
}

bool vk_thread_seen(struct vk_call *c, u32 slot)
{
	return slot_use(c, slot, ACCESS_READ) && sched_alive(slot);
}

void vk_first_thread_name(struct vk_call *c, char *to)
{
	const struct fiber *first = sched_fiber(0);
	slot_use(c, 0, ACCESS_READ);
	vk_declare(thread_object(0), ACCESS_READ);
	if (first->name[0])
		memcpy(to, first->name, NAME_SIZE);
	else
		name_at_start(to);
}

long vk_thread_set_name(u32 slot, const char *name)
{
	struct vk_call c = {0};
	return set_name(&c, sched_fiber(slot), name);
}

long vk_thread_get_name(u32 slot, char *to)
{
	struct vk_call c = {0};
	return get_name(&c, sched_fiber(slot), to);
}

/* A number of the process (a bit that starts as 0), or of the calling thread. */
static long set_bit(struct vk_call *c, enum vk_setting which)
{
	vk_use(c, VK_SETTINGS, ACCESS_WRITE);
	if (c->a[1])
		vk->process_settings |= 1u << which;
	else
		vk->process_settings &= ~(1u << which);
	return 0;
}

static long get_bit(struct vk_call *c, enum vk_setting which)
{
	vk_use(c, VK_SETTINGS, ACCESS_READ);
	return vk->process_settings >> which & 1;
}

static long tell_int(struct vk_call *c, long value)
{
	if (!vk_user_out_ok((u64)c->a[1], sizeof(int)))
		return -EFAULT;
	*(int *)c->a[1] = (int)value;
	return 0;
}

static long set_dumpable(struct vk_call *c)
{
	if (c->a[1] != 0 && c->a[1] != 1)
		return -EINVAL;
	c->a[1] = !c->a[1];
	return set_bit(c, VK_SETTING_NOT_DUMPABLE);
}

static long prctl_process(struct vk_call *c)
{
	switch (c->a[0]) {
	case PR_SET_DUMPABLE:
		return set_dumpable(c);
	case PR_GET_DUMPABLE:
		return !get_bit(c, VK_SETTING_NOT_DUMPABLE);
	case PR_SET_THP_DISABLE:
		return set_bit(c, VK_SETTING_NO_HUGE_PAGES);
	case PR_GET_THP_DISABLE:
		return get_bit(c, VK_SETTING_NO_HUGE_PAGES);
	case PR_SET_CHILD_SUBREAPER:
		return set_bit(c, VK_SETTING_SUBREAPER);
	case PR_GET_CHILD_SUBREAPER:
		return tell_int(c, get_bit(c, VK_SETTING_SUBREAPER));
	case PR_SET_VMA:
	case PR_SET_PTRACER:
	case PR_CAPBSET_READ:
	case PR_GET_SECCOMP:
	case PR_GET_SECUREBITS:
		return 0; /* no call tells what was set; or always the same */
	}
	vk_refuse(c, "prctl");
	return -EINVAL;
}

long vk_sys_prctl(struct vk_call *c)
{
	struct vk_settings *s = settings_of(sched_self_slot());
	switch (c->a[0]) {
	case PR_SET_NAME:
		return vk_user_ok((u64)c->a[1], 1) ? set_name(c, sched_self(), vk_user(c->a[1])) : -EFAULT;
	case PR_GET_NAME:
		return get_name(c, sched_self(), vk_user(c->a[1]));
	case PR_SET_PDEATHSIG:
		if ((u64)c->a[1] > VK_SIGNALS)
			return -EINVAL;
		vk_declare(vk_settings_object(sched_self_slot()), ACCESS_WRITE);
		s->death_signal = (u8)c->a[1];
		return 0;
	case PR_GET_PDEATHSIG:
		return tell_int(c, s->death_signal);
	case PR_SET_TIMERSLACK:
		vk_declare(vk_settings_object(sched_self_slot()), ACCESS_WRITE);
		s->timer_slack = c->a[1] > 0 ? (u64)c->a[1] ^ TIMER_SLACK : 0;
		return 0;
	case PR_GET_TIMERSLACK:
		return (long)(s->timer_slack ^ TIMER_SLACK);
	case PR_SET_NO_NEW_PRIVS:
		if (c->a[1] != 1 || c->a[2] || c->a[3] || c->a[4])
			return -EINVAL;
		vk_declare(vk_settings_object(sched_self_slot()), ACCESS_WRITE);
		s->no_new_privs = 1;
		return 0;
	case PR_GET_NO_NEW_PRIVS:
		return s->no_new_privs;
	case PR_SET_KEEPCAPS:
		if ((u64)c->a[1] > 1)
			return -EINVAL;
		vk_declare(vk_settings_object(sched_self_slot()), ACCESS_WRITE);
		s->keep_caps = (u8)c->a[1];
		return 0;
	case PR_GET_KEEPCAPS:
		return s->keep_caps;
	}
	return prctl_process(c);
}
