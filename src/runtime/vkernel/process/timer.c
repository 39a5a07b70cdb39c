/*
 * timer.c: timers that send signals: alarm, setitimer(ITIMER_REAL), timer_create; and those of
 * timerfds, which count in a description.
 *
 * As with time-outs, how long something takes is not known: a timer that is armed may expire at any moment.
 * That is an action of the process; the engine offers it beside what the first fiber could do (ALT_TIMER +
 * n), which stays where it is. For the reduction, timers are somebody who acts beside the fibers. A timer
 * whose signal would kill the process is a watchdog, and expires only when nothing else can happen. A
 * periodic timer does not expire while its last signal still waits: nobody could tell, but for
 * timer_getoverrun(), which is always 0 here.
 *
 * SIGEV_THREAD. Each expiry starts a thread, as a child of the thread beside whose action it is offered.
 * Given up: that more than two of one timer run at a time.
 *
 * Timer 0 is ITIMER_REAL's, number n + 1 that of id n.
 *
 * Timerfds. The kernel counts, whoever runs, and in the order of deadlines: with one, all that must have
 * expired before it do, too. A deadline is a distance from when it was set, since time passes unseen (unless
 * somebody reads the clock): so that is known of those that were armed earlier, for a time that is not
 * longer. A periodic one is counted up to 2: who reads finds one expiry, or several.
 */
#include <linux/time.h>

#include "runtime/sched/fiber.h"
#include "runtime/sched/thread.h"
#include "runtime/vkernel/process/signals.h"
#include "runtime/vkernel/process/timers.h"
#include "runtime/vkernel/streams/epoll.h"
#include "wire/wire.h"

#define SECOND 1000000000u
#define NOTIFY_SIGNAL 0
#define NOTIFY_NONE 1
#define NOTIFY_THREAD 2
#define NOTIFY_THREAD_ID 4

#define USED_BY_ID 1
#define USED_BY_DESC 2
#define COUNT_MAX 2

static u32 target_of(const struct vk_timer *t)
{
	return t->thread ? t->thread - 1u : TO_PROCESS;
}

static u64 pending_of(const struct vk_timer *t)
{
	return t->thread ? vk->fiber[t->thread - 1].signals.pending : vk->signals.pending;
}

/* Would it kill the process when it expires? */
static bool is_watchdog(const struct vk_timer *t)
{
	if (vk_signal_disposition(t->sig) != VK_SIG_DEFAULT || signal_does_nothing(t->sig))
		return false;
	for (u32 i = 0; i < sched_fiber_limit(); i++)
		if (sched_alive(i) && !(vk->fiber[i].mask & SIGNAL_BIT(t->sig)))
			return true;
	return false;
}

static struct vk_desc *desc_of(const struct vk_timer *t)
{
	return &vk->desc[t->desc - 1];
}

#define NOTIFIED_MAX 2

static u32 notified_count(const struct vk_timer *t)
{
	u32 n = 0;
	while (n < NOTIFIED_MAX && t->notified[n])
		n++;
	return n;
}

void timer_thread_ends(u32 slot)
{
	for (u32 i = 1; i < VK_MAX_TIMERS; i++) {
		u16 *by = vk->timer[i].notified;
		for (u32 k = 0; k < NOTIFIED_MAX; k++)
			if (by[k] == slot + 1) {
				vk_declare(VK_TIMERS, ACCESS_WRITE);
				by[k] = by[k + 1]; /* the last one stays zero */
				by[k + 1] = 0;
			}
	}
}

/* Nobody could tell if it expired once more. */
static bool has_expired_enough(const struct vk_timer *t)
{
	if (t->function)
		return notified_count(t) == NOTIFIED_MAX;
	if (t->desc)
		return desc_of(t)->pos >= COUNT_MAX;
	return t->interval && (pending_of(t) & SIGNAL_BIT(t->sig));
}

/* Timerfd t must have expired when `with` does. */
static bool expires_before(const struct vk_timer *t, const struct vk_timer *with)
{
	return t->desc && t->deadline && t != with && t->deadline <= with->deadline &&
	       (t->rank < with->rank || rt_lessons.clock_read) && desc_of(t)->pos < COUNT_MAX;
}

u32 vk_timers_ready(bool nothing_else, u32 *number, u64 *deadline)
{
	u32 n = 0;
	for (u32 i = 0; i < VK_MAX_TIMERS; i++) {
		const struct vk_timer *t = &vk->timer[i];
		if (!t->deadline || t->silent || has_expired_enough(t))
			continue;
		if (!t->desc && !t->function && is_watchdog(t) && !nothing_else)
			continue;
		number[n] = i;
		deadline[n++] = t->deadline;
	}
	return n;
}

/* Whose child a thread is that a timer starts, and by which number the action goes. */
static void declare_host(void)
{
	u32 host = 0;
	while (host < sched_fiber_limit() && !sched_alive(host))
		host++;
	access_declare(thread_object(host), 1, ACCESS_READ);
	if (host)
		access_declare(process_object(PROCESS_THREADS), 1, ACCESS_READ);
}

void vk_timer_access(u32 n)
{
	const struct vk_timer *t = &vk->timer[n];
	declare_host();
	access_declare(VK_TIMERS, 1, ACCESS_WRITE);
	if (t->interval)
		access_declare(process_object(PROCESS_CLOCK), 1, ACCESS_READ);
	if (t->desc) {
		for (u32 i = 1; i < VK_MAX_TIMERS; i++)
			if (&vk->timer[i] == t || expires_before(&vk->timer[i], t))
				access_declare(vk_desc_object(vk->timer[i].desc - 1u, VK_DESC_POSITION), 1,
					       ACCESS_WRITE);
		return;
	}
	if (t->function) {
		access_declare(process_object(PROCESS_THREADS), 1, ACCESS_ADD);
		return;
	}
	if (t->thread)
		access_declare(thread_object(t->thread - 1), 1, ACCESS_WRITE);
	else
		signal_declare_queue(t->sig);
	access_declare(vk_action_object(t->sig), 1, ACCESS_READ);
	access_declare(VK_HANDLERS, 1, ACCESS_READ); /* they and the masks tell whether it is a watchdog */
	access_declare(VK_MASKS, 1, ACCESS_READ);
}

void vk_timers_access(void)
{
	access_declare(VK_TIMERS, 1, ACCESS_READ);
	for (u32 n = 0; n < VK_MAX_TIMERS; n++)
		if (vk->timer[n].deadline && !vk->timer[n].silent)
			vk_timer_access(n);
}

/* ---- of timerfds ---- */

static void take_rank(struct vk_timer *t)
{
	for (u32 i = 1; i < VK_MAX_TIMERS; i++)
		t->rank += vk->timer[i].rank != 0;
	t->rank++;
}

static void drop_rank(struct vk_timer *t)
{
	for (u32 i = 1; i < VK_MAX_TIMERS; i++)
		vk->timer[i].rank -= t->rank && vk->timer[i].rank > t->rank;
	t->rank = 0;
}

static u64 next_deadline(const struct vk_timer *t)
{
	if (!t->interval)
		return 0;
	return HD_MAX(clock_now(), rt_lessons.clock_read ? t->deadline - 1 : 0) + t->interval + 1;
}

static void count(struct vk_timer *t)
{
	desc_of(t)->pos++;
	epoll_wake(desc_of(t), POLLIN);
	t->deadline = next_deadline(t);
	drop_rank(t);
	if (t->deadline)
		take_rank(t);
}

static u64 timerfd_expires(struct vk_timer *t)
{
	u64 deadline = t->deadline;
	u64 before = 0;
	for (u32 i = 1; i < VK_MAX_TIMERS; i++)
		before |= expires_before(&vk->timer[i], t) ? (u64)1 << i : 0;
	for (; before; before &= before - 1)
		count(&vk->timer[__builtin_ctzll(before)]);
	count(t);
	return deadline;
}

static u64 thread_starts(struct vk_timer *t)
{
	u64 deadline = t->deadline, tcb;
	t->deadline = next_deadline(t);
	if (!thread_create(&tcb, t->function, t->value, t->stack_size, true, 0))
		t->notified[notified_count(t)] = (u16)(fiber_slot(fiber_by_tcb(tcb)) + 1);
	return deadline;
}

u64 vk_timer_expires(u32 n)
{
	struct vk_timer *t = &vk->timer[n];
	if (t->desc)
		return timerfd_expires(t);
	if (t->function)
		return thread_starts(t);
	struct vk_siginfo i = {
		.sig = t->sig, .timer = (u16)n, .code = n ? SI_TIMER : SI_KERNEL, .value = t->value};
	struct vk_call c = {0};
	u64 deadline = t->deadline;
	if (n)
		i.timer = (u16)(n - 1);
	t->deadline = next_deadline(t);
	if (!t->thread || sched_alive(t->thread - 1u))
		signal_send(&c, target_of(t), &i);
	return deadline;
}

void vk_describe_timer(u32 n, struct text *t)
{
	if (vk->timer[n].desc) {
		text_str(t, "stays where it is; timerfd ");
		vk_describe_desc(desc_of(&vk->timer[n]), t);
		text_str(t, " expires");
		return;
	}
	if (vk->timer[n].function) {
		text_str(t, "stays where it is; a timer expires and starts a thread");
		return;
	}
	text_str(t, "stays where it is; a timer expires and sends ");
	signal_describe(vk->timer[n].sig, t);
}

/* ---- arming ---- */

static void use_timers(struct vk_call *c, enum access_mode mode)
{
	signal_order(c, VK_TIMERS, mode);
	vk_use(c, VK_TIMERS, mode);
}

static void arm(struct vk_timer *t, u64 deadline, u64 interval)
{
	if (deadline && !t->silent)
		signal_learn();
	t->deadline = deadline;
	t->interval = deadline || t->desc ? interval : 0; /* a timerfd keeps it */
}

/* Nanoseconds until it expires; one that could have, but has not: 1. */
static u64 remaining(const struct vk_timer *t)
{
	if (!t->deadline)
		return 0;
	u64 now = clock_read();
	return t->deadline - 1 > now ? t->deadline - 1 - now : 1;
}

static struct __kernel_timespec timespec_of(u64 ns)
{
	return (struct __kernel_timespec){.tv_sec = (long long)(ns / SECOND),
					  .tv_nsec = (long long)(ns % SECOND)};
}

long vk_sys_alarm(struct vk_call *c)
{
	use_timers(c, ACCESS_WRITE);
	struct vk_timer *t = &vk->timer[0];
	u64 left = remaining(t), seconds = (u32)c->a[0];
	t->sig = seconds ? SIGALRM : 0;
	arm(t, seconds ? clock_deadline(seconds * SECOND) : 0, 0);
	return (long)(left < SECOND && left ? 1 : (left + SECOND / 2) / SECOND);
}

static bool only_real(const struct vk_call *c)
{
	if (!c->a[0])
		return true;
	if (c->a[0] == ITIMER_VIRTUAL || c->a[0] == ITIMER_PROF)
		vk_refuse(c, "interval timers of CPU time");
	return false;
}

struct timevals { /* struct itimerval */
	long interval_sec, interval_usec, sec, usec;
};

static void give_itimer(long to)
{
	const struct vk_timer *t = &vk->timer[0];
	u64 left = t->deadline ? HD_MAX(remaining(t), (u64)1000) : 0; /* zero says: it is not armed */
	*(struct timevals *)vk_user(to) = (struct timevals){
		(long)(t->interval / SECOND), (long)(t->interval % SECOND / 1000), (long)(left / SECOND),
		(long)(left % SECOND / 1000)};
}

long vk_sys_getitimer(struct vk_call *c)
{
	if (!only_real(c))
		return -EINVAL;
	if (!vk_user_ok((u64)c->a[1], sizeof(struct timevals)))
		return -EFAULT;
	use_timers(c, ACCESS_READ);
	give_itimer(c->a[1]);
	return 0;
}

static bool timeval_ok(long sec, long usec)
{
	return sec >= 0 && usec >= 0 && usec < 1000000;
}

long vk_sys_setitimer(struct vk_call *c)
{
	if (!only_real(c))
		return -EINVAL;
	struct timevals v = {0};
	if ((c->a[1] && !vk_user_ok((u64)c->a[1], sizeof(v))) ||
	    (c->a[2] && !vk_user_ok((u64)c->a[2], sizeof(v))))
		return -EFAULT;
	if (c->a[1])
		v = *(const struct timevals *)vk_user(c->a[1]);
	if (!timeval_ok(v.sec, v.usec) || !timeval_ok(v.interval_sec, v.interval_usec))
		return -EINVAL;
	use_timers(c, ACCESS_WRITE);
	if (c->a[2])
		give_itimer(c->a[2]);
	u64 ns = (u64)v.sec * SECOND + (u64)v.usec * 1000;
	vk->timer[0].sig = ns ? SIGALRM : 0;
	arm(&vk->timer[0], ns ? clock_deadline(ns) : 0,
	    (u64)v.interval_sec * SECOND + (u64)v.interval_usec * 1000);
	return 0;
}

/* ---- timer_create ---- */

bool timer_clock_runs(int clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME;
}

static u32 free_timer(void)
{
	u32 n = 1;
	while (n < VK_MAX_TIMERS && vk->timer[n].used)
		n++;
	return n;
}

/* 0 and *t, or an error. */
static long from_event(struct vk_call *c, const sigevent_t *e, u32 n, struct vk_timer *t)
{
	*t = (struct vk_timer){.used = USED_BY_ID, .sig = SIGALRM, .value = n - 1};
	if (!e)
		return 0;
	if (!vk_user_ok((u64)e, sizeof(*e)))
		return -EFAULT;
	t->sig = (u16)e->sigev_signo;
	t->value = (u64)e->sigev_value.sival_ptr;
	t->silent = e->sigev_notify == NOTIFY_NONE;
	if (t->silent)
		return 0;
	if (e->sigev_notify == NOTIFY_THREAD) {
		t->sig = 0;
		t->function = (u64)e->_sigev_un._sigev_thread._function;
		t->stack_size = (u64)c->a[3]; /* interpose/posix_timers.c */
		if (t->stack_size)
			return 0;
		vk_refuse(c, "timer_create (SIGEV_THREAD, without the C library)");
		return -EINVAL;
	}
	if (e->sigev_signo < 1 || e->sigev_signo > VK_SIGNALS)
		return -EINVAL;
	if (e->sigev_notify == NOTIFY_THREAD_ID) {
		u32 slot = (u32)(e->_sigev_un._tid - VK_PID);
		vk_declare(process_object(PROCESS_THREADS), ACCESS_READ);
		if (slot >= LAYOUT_MAX_FIBERS || !sched_alive(slot))
			return -EINVAL;
		t->thread = (u16)(slot + 1);
	} else if (e->sigev_notify != NOTIFY_SIGNAL) {
		return -EINVAL;
	}
	return 0;
}

long vk_sys_timer_create(struct vk_call *c)
{
	int clock = (int)c->a[0];
	struct vk_timer t;
	if (!timer_clock_runs(clock)) {
		vk_refuse(c, "timer_create (other clocks)");
		return -EINVAL;
	}
	if (!vk_user_ok((u64)c->a[2], sizeof(int)))
		return -EFAULT;
	use_timers(c, ACCESS_WRITE);
	u32 n = free_timer();
	if (n == VK_MAX_TIMERS) {
		vk_refuse(c, "limit: 32 timers");
		return -EAGAIN;
	}
	long err = from_event(c, vk_user(c->a[1]), n, &t);
	if (err)
		return err;
	t.wall = clock == CLOCK_REALTIME;
	vk->timer[n] = t;
	*(int *)vk_user(c->a[2]) = (int)n - 1;
	return 0;
}

/* NULL: there is none with that id. */
static struct vk_timer *timer_of(struct vk_call *c, enum access_mode mode)
{
	u32 n = (u32)c->a[0] + 1;
	use_timers(c, mode);
	return n && n < VK_MAX_TIMERS && vk->timer[n].used == USED_BY_ID ? &vk->timer[n] : NULL;
}

long vk_sys_timer_delete(struct vk_call *c)
{
	struct vk_timer *t = timer_of(c, ACCESS_WRITE);
	if (!t)
		return -EINVAL;
	*t = (struct vk_timer){0};
	return 0;
}

static void give_timer(const struct vk_timer *t, long to)
{
	struct vk_timespecs s = {timespec_of(t->interval), timespec_of(remaining(t))};
	memcpy(vk_user(to), &s, sizeof(s));
}

long vk_sys_timer_gettime(struct vk_call *c)
{
	const struct vk_timer *t = timer_of(c, ACCESS_READ);
	if (!t)
		return -EINVAL;
	if (!vk_user_ok((u64)c->a[1], sizeof(struct vk_timespecs)))
		return -EFAULT;
	give_timer(t, c->a[1]);
	return 0;
}

long vk_sys_timer_getoverrun(struct vk_call *c)
{
	return timer_of(c, ACCESS_READ) ? 0 : -EINVAL;
}

static u64 deadline_of(const struct vk_timer *t, const struct __kernel_timespec *at, bool absolute)
{
	if (!at->tv_sec && !at->tv_nsec)
		return 0;
	return absolute ? clock_deadline_at(t->wall ? 0 : 1, (long)at->tv_sec, (long)at->tv_nsec)
			: clock_deadline(vk_time_ns(at));
}

long vk_sys_timer_settime(struct vk_call *c)
{
	const struct vk_timespecs *new = vk_user(c->a[2]);
	if (!new)
		return -EINVAL;
	if (!vk_user_ok((u64) new, sizeof(*new)) || (c->a[3] && !vk_user_ok((u64)c->a[3], sizeof(*new))))
		return -EFAULT;
	if (!vk_time_valid(&new->value) || !vk_time_valid(&new->interval))
		return -EINVAL;
	struct vk_timer *t = timer_of(c, ACCESS_WRITE);
	if (!t)
		return -EINVAL;
	if (c->a[3])
		give_timer(t, c->a[3]);
	arm(t, deadline_of(t, &new->value, c->a[1] & TIMER_ABSTIME), vk_time_ns(&new->interval));
	return 0;
}

/* ---- for timerfds ---- */

u32 timer_take(const struct vk_desc *d, bool wall)
{
	u32 n = free_timer();
	vk_declare(VK_TIMERS, ACCESS_WRITE);
	if (n == VK_MAX_TIMERS)
		return 0;
	vk->timer[n] = (struct vk_timer){
		.used = USED_BY_DESC, .wall = wall, .desc = (u16)(vk_desc_slot(d) + 1)};
	return n;
}

void timer_drop(u32 n)
{
	vk_declare(VK_TIMERS, ACCESS_WRITE);
	drop_rank(&vk->timer[n]);
	vk->timer[n] = (struct vk_timer){0};
}

void timer_tell(u32 n, struct vk_timespecs *to)
{
	const struct vk_timer *t = &vk->timer[n];
	vk_declare(VK_TIMERS, ACCESS_READ);
	*to = (struct vk_timespecs){timespec_of(t->interval), timespec_of(remaining(t))};
}

void timer_set(u32 n, const struct vk_timespecs *to, bool absolute)
{
	struct vk_timer *t = &vk->timer[n];
	vk_declare(VK_TIMERS, ACCESS_WRITE);
	drop_rank(t);
	arm(t, deadline_of(t, &to->value, absolute), vk_time_ns(&to->interval));
	if (t->deadline)
		take_rank(t);
}

bool timer_spec_ok(const struct vk_timespecs *s)
{
	return vk_time_valid(&s->value) && vk_time_valid(&s->interval);
}
