/*
 * timer_copies.c: timers of timer_create, and how timers of all kinds move on with the clock. A copy has none
 * of the former: who is thawed makes them anew, with the time that was left. The program knows them by
 * numbers of ours, as the kernel's are other ones then.
 */
#include <errno.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "shim/shim_priv.h"

#define TIMERS 32u

struct posix_timer {
	bool used;
	int real; /* the kernel's number */
	long clock;
	sigevent_t event;
	struct itimerspec left; /* when it was saved */
};

static struct posix_timer timers[TIMERS];

/* The clock of a thread's CPU time has the thread's number in it. */
static long real_clock(long clock)
{
	int thread = (int)~(clock >> 3);
	if (clock >= 0 || !(clock & 4) || !thread)
		return clock;
	return (long)((~(u64)thread_real(thread) << 3) | (u64)(clock & 7));
}

static long make(struct posix_timer *t)
{
	sigevent_t event = t->event;
	if (event.sigev_notify == SIGEV_THREAD_ID)
		event._sigev_un._tid = thread_real(event._sigev_un._tid);
	return shim_call(SYS_timer_create, (int)real_clock(t->clock), &event, &t->real);
}

static long create(const struct call *c)
{
	u32 i = 0;
	while (i < TIMERS && timers[i].used)
		i++;
	if (i == TIMERS)
		return -EAGAIN;
	struct posix_timer *t = &timers[i];
	*t = (struct posix_timer){.clock = (int)c->arg[0]};
	if (c->arg[1])
		memcpy(&t->event, (const void *)c->arg[1], sizeof(t->event));
	else
		t->event = (sigevent_t){.sigev_notify = SIGEV_SIGNAL,
					.sigev_signo = SIGALRM,
					.sigev_value.sival_int = (int)i};
	long r = make(t);
	t->used = !r;
	if (!r)
		*(int *)c->arg[2] = (int)i;
	return r;
}

/* A moment of the peer's clock is another one of the kernel's. */
static long set(const struct posix_timer *t, const struct call *c)
{
	struct itimerspec s = *(const struct itimerspec *)c->arg[2];
	u64 then = (u64)s.it_value.tv_sec * 1000000000ull + (u64)s.it_value.tv_nsec;
	if (then)
		shim_note(ACT_TIMER);
	if ((c->arg[1] & TIMER_ABSTIME) && then && t->clock >= 0) {
		u64 now = clock_shown(t->clock), left = then > now ? then - now : 1;
		s.it_value = (struct timespec){(time_t)(left / 1000000000ull), (long)(left % 1000000000ull)};
	}
	long flags = t->clock >= 0 ? c->arg[1] & ~TIMER_ABSTIME : c->arg[1];
	return shim_call(SYS_timer_settime, t->real, flags, &s, c->arg[3]);
}

bool posix_timer_call(struct call *c, long *result)
{
	if (c->nr == SYS_timer_create) {
		*result = create(c);
		return true;
	}
	if (c->nr != SYS_timer_settime && c->nr != SYS_timer_gettime && c->nr != SYS_timer_getoverrun &&
	    c->nr != SYS_timer_delete)
		return false;
	if (c->arg[0] < 0 || c->arg[0] >= TIMERS || !timers[c->arg[0]].used) {
		*result = -EINVAL;
		return true;
	}
	struct posix_timer *t = &timers[c->arg[0]];
	if (c->nr == SYS_timer_settime) {
		*result = set(t, c);
		return true;
	}
	*result = shim_call(c->nr, t->real, c->arg[1]);
	if (c->nr == SYS_timer_delete)
		t->used = false;
	return true;
}

void posix_timers_record(void)
{
	for (u32 i = 0; i < TIMERS; i++)
		if (timers[i].used)
			shim_call(SYS_timer_gettime, timers[i].real, &timers[i].left);
}

void posix_timers_restore(void)
{
	for (u32 i = 0; i < TIMERS; i++) {
		struct posix_timer *t = &timers[i];
		if (!t->used)
			continue;
		if (make(t) || shim_call(SYS_timer_settime, t->real, 0, &t->left, 0))
			shim_exit(125);
	}
}

void posix_timers_forget(void)
{
	memset(timers, 0, sizeof(timers));
}

static void advance(struct timespec *left, u64 ns)
{
	u64 value = (u64)left->tv_sec * 1000000000ull + (u64)left->tv_nsec;
	if (!value)
		return;
	value = value > ns ? value - ns : 1;
	*left = (struct timespec){(time_t)(value / 1000000000ull), (long)(value % 1000000000ull)};
}

static void advance_alarm(u64 ns)
{
	struct itimerval t = {0};
	if (shim_call(SYS_getitimer, ITIMER_REAL, &t))
		return;
	struct timespec left = {t.it_value.tv_sec, t.it_value.tv_usec * 1000};
	advance(&left, ns);
	if (!t.it_value.tv_sec && !t.it_value.tv_usec)
		return;
	t.it_value = (struct timeval){left.tv_sec, HD_MAX(left.tv_nsec / 1000, left.tv_sec ? 0 : 1)};
	shim_call(SYS_setitimer, ITIMER_REAL, &t, 0);
}

void timers_advance(u64 ns)
{
	struct itimerspec t = {0};
	for (u32 i = 0; i < TIMERS; i++)
		if (timers[i].used && timers[i].clock >= 0 &&
		    !shim_call(SYS_timer_gettime, timers[i].real, &t)) {
			advance(&t.it_value, ns);
			shim_call(SYS_timer_settime, timers[i].real, 0, &t, 0);
		}
	for (int fd = 0; fd < SHIM_FDS; fd++)
		if (descriptors_timer(fd) && !shim_call(SYS_timerfd_gettime, fd, &t)) {
			advance(&t.it_value, ns);
			shim_call(SYS_timerfd_settime, fd, 0, &t, 0);
		}
	advance_alarm(ns);
}
