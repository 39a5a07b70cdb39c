/*
 * timed_calls.c: calls that wait. Two things are done to them.
 *
 * A wait that our own signal interrupts (the process is being saved, or has just been brought back) goes
 * on as if nothing had been, with the time that was left.
 *
 * Time-outs are counted in the peer's time (clock.c): when one expires, the clock moves on by it, and it
 * is noted, for in another run something might have come before. While the peer is held (shim_page.held)
 * no time passes for it, and a time-out that expires begins anew. When the controller moves the clock on
 * (SHIM_TIME), what is over by then expires: that is the same in each run.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

#include "shim/shim_priv.h"

#define FOREVER (~0ull)
#define SECOND 1000000000ull
#define SET_BYTES 512 /* of a set of descriptors that is kept for another try */

struct timed_call {
	struct call *c;
	u64 limit;    /* ns; FOREVER */
	long expired; /* what the call returns then */
	bool sleeps;  /* nothing can end it but time */
	u64 mask;
	u8 sets[3][SET_BYTES];
};

static u64 from_spec(const struct timespec *t)
{
	return t ? (u64)t->tv_sec * SECOND + (u64)t->tv_nsec : FOREVER;
}

static struct timespec to_spec(u64 ns)
{
	return (struct timespec){(time_t)(ns / SECOND), (long)(ns % SECOND)};
}

static u64 from_ms(long ms)
{
	return (int)ms < 0 ? FOREVER : (u64)(int)ms * 1000000ull;
}

/* A moment of the peer's clock: how far is it? */
static u64 until(long clock, const struct timespec *t)
{
	u64 then = from_spec(t), now = clock_shown(clock);
	return !t ? FOREVER : then > now ? then - now : 0;
}

static u64 futex_limit(const struct call *c)
{
	const struct timespec *t = (const struct timespec *)c->arg[3];
	long clock = c->arg[1] & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;
	return (c->arg[1] & FUTEX_CMD_MASK) == FUTEX_WAIT ? from_spec(t) : until(clock, t);
}

static bool futex_waits(const struct call *c)
{
	long op = c->arg[1] & FUTEX_CMD_MASK;
	if (op == FUTEX_LOCK_PI || op == FUTEX_WAIT_REQUEUE_PI)
		shim.stops = "it uses mutexes with priority inheritance";
	return op == FUTEX_WAIT || op == FUTEX_WAIT_BITSET;
}

/* What kind of wait is it? False: none of these. */
static bool classify(struct timed_call *w)
{
	const struct call *c = w->c;
	const struct timeval *tv = (const struct timeval *)c->arg[4];
	w->expired = 0;
	switch (c->nr) {
	case SYS_poll:
		w->limit = from_ms(c->arg[2]);
		break;
	case SYS_ppoll:
		w->limit = from_spec((const struct timespec *)c->arg[2]);
		break;
	case SYS_select:
		w->limit = tv ? (u64)tv->tv_sec * SECOND + (u64)tv->tv_usec * 1000 : FOREVER;
		break;
	case SYS_pselect6:
		w->limit = from_spec((const struct timespec *)c->arg[4]);
		break;
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
		w->limit = from_ms(c->arg[3]);
		break;
	case SYS_epoll_pwait2:
		w->limit = from_spec((const struct timespec *)c->arg[3]);
		break;
	case SYS_nanosleep:
		w->limit = from_spec((const struct timespec *)c->arg[0]);
		w->sleeps = true;
		break;
	case SYS_clock_nanosleep:
		w->limit = c->arg[1] ? until(c->arg[0], (const struct timespec *)c->arg[2])
				     : from_spec((const struct timespec *)c->arg[2]);
		w->sleeps = true;
		break;
	case SYS_futex:
		w->limit = futex_limit(c);
		w->expired = -ETIMEDOUT;
		return futex_waits(c);
	case SYS_rt_sigtimedwait:
		w->limit = from_spec((const struct timespec *)c->arg[2]);
		w->expired = -EAGAIN;
		break;
	case SYS_rt_sigsuspend:
	case SYS_pause:
		w->limit = FOREVER;
		break;
	default:
		return false;
	}
	return true;
}

static size_t set_bytes(const struct call *c)
{
	size_t n = ((size_t)c->arg[0] + 63) / 64 * 8;
	return n <= SET_BYTES ? n : SET_BYTES;
}

static void keep_sets(struct timed_call *w, bool put_back)
{
	for (u32 i = 0; i < 3; i++) {
		void *set = (void *)w->c->arg[i + 1];
		if (set && put_back)
			memcpy(set, w->sets[i], set_bytes(w->c));
		else if (set)
			memcpy(w->sets[i], set, set_bytes(w->c));
	}
}

static long select_once(struct timed_call *w, const struct timespec *t)
{
	const struct call *c = w->c;
	struct {
		const void *mask;
		u64 size;
	} given = {NULL, 8};
	if (c->nr == SYS_pselect6 && c->arg[5])
		given.mask = signals_open(*(const void *const *)c->arg[5], &w->mask);
	return shim_call(SYS_pselect6, c->arg[0], c->arg[1], c->arg[2], c->arg[3], t,
			 given.mask ? &given : NULL);
}

static long epoll_once(struct timed_call *w, u64 left)
{
	const struct call *c = w->c;
	long mask_at = c->nr == SYS_epoll_wait ? 0 : c->arg[4];
	long ms = left == FOREVER ? -1 : (long)HD_MIN((left + 999999) / 1000000, 0x7fffffffull);
	long r = shim_call(SYS_epoll_pwait, c->arg[0], c->arg[1], c->arg[2], ms,
			   signals_open((const void *)mask_at, &w->mask), 8);
	descriptors_events((int)c->arg[0], (const void *)c->arg[1], r);
	return r;
}

static long futex_once(const struct call *c, const struct timespec *t)
{
	long op = FUTEX_WAIT_BITSET | (c->arg[1] & FUTEX_PRIVATE_FLAG);
	u32 bits = (c->arg[1] & FUTEX_CMD_MASK) == FUTEX_WAIT ? FUTEX_BITSET_MATCH_ANY : (u32)c->arg[5];
	u64 now = t ? clock_real(CLOCK_MONOTONIC) : 0;
	struct timespec then = t ? to_spec(now + from_spec(t)) : (struct timespec){0, 0};
	return shim_call(SYS_futex, c->arg[0], op, c->arg[2], t ? &then : NULL, 0, bits);
}

static long once(struct timed_call *w, u64 left)
{
	const struct call *c = w->c;
	struct timespec spec = to_spec(left == FOREVER ? 0 : left), *t = left == FOREVER ? NULL : &spec;
	switch (c->nr) {
	case SYS_poll:
	case SYS_ppoll:
		return shim_call(SYS_ppoll, c->arg[0], c->arg[1], t,
				 c->nr == SYS_ppoll ? signals_open((const void *)c->arg[3], &w->mask) : NULL,
				 8);
	case SYS_select:
	case SYS_pselect6:
		return select_once(w, t);
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
		return epoll_once(w, left);
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
		return shim_call(SYS_nanosleep, t, 0);
	case SYS_futex:
		return futex_once(c, t);
	case SYS_rt_sigtimedwait:
		return shim_call(c->nr, signals_open((const void *)c->arg[0], &w->mask), c->arg[1], t, 8);
	case SYS_rt_sigsuspend:
		return shim_call(c->nr, signals_open((const void *)c->arg[0], &w->mask), 8);
	default:
		return shim_call(c->nr, 0);
	}
}

static void expire(const struct timed_call *w, u64 asked_at)
{
	u64 now = clock_shown(CLOCK_MONOTONIC), then = asked_at + w->limit;
	if (w->limit && !(w->sleeps && shim.page->held))
		shim_note(w->sleeps ? ACT_SLEEP : ACT_TIMEOUT);
	if (then > now && !(w->sleeps && shim.page->held))
		clock_advance(then - now);
}

bool wait_call(struct call *c, long *result)
{
	struct timed_call w = {.c = c};
	struct shim_thread *self = thread_self();
	if (!classify(&w))
		return false;
	bool selects = c->nr == SYS_select || c->nr == SYS_pselect6;
	u64 asked_at = clock_shown(CLOCK_MONOTONIC), told = clock_told(), left = w.limit;
	if (selects)
		keep_sets(&w, false);
	for (;;) {
		u64 start = left == FOREVER || !left ? 0 : clock_real(CLOCK_MONOTONIC);
		self->interrupted = 0;
		long r = once(&w, left);
		if (r == -EINTR && self->interrupted) {
			u64 waited = start ? self->interrupted - start : 0, passed = clock_told() - told;
			told += passed;
			left = left == FOREVER ? left : left > waited ? left - waited : 1;
			if (left != FOREVER && passed >= left) {
				*result = w.expired;
				return true;
			}
			left = left == FOREVER ? left : left - passed;
			continue;
		}
		*result = r;
		if (r != w.expired || w.limit == FOREVER || (c->nr == SYS_futex && r != -ETIMEDOUT))
			return true;
		if (w.limit && !w.sleeps && __atomic_load_n(&shim.page->held, __ATOMIC_ACQUIRE)) {
			left = w.limit;
			if (selects)
				keep_sets(&w, true);
			continue;
		}
		expire(&w, asked_at);
		return true;
	}
}

/* Could a time-out of the socket's own (SO_RCVTIMEO) end the call? */
static bool ran_out(const struct call *c)
{
	long flags;
	switch (c->nr) {
	case SYS_recvfrom:
	case SYS_recvmsg:
		flags = c->nr == SYS_recvmsg ? c->arg[2] : c->arg[3];
		if (flags & MSG_DONTWAIT)
			return false;
		break;
	case SYS_read:
	case SYS_readv:
	case SYS_accept:
	case SYS_accept4:
		break;
	default:
		return false;
	}
	flags = shim_call(SYS_fcntl, c->arg[0], F_GETFL);
	return flags >= 0 && !(flags & O_NONBLOCK);
}

/* So much time has passed: has its time-out ended by that? */
static bool is_over(const struct call *c, u64 passed)
{
	struct timeval t = {0, 0};
	u32 len = sizeof(t);
	if (!passed || !ran_out(c) || shim_call(SYS_getsockopt, c->arg[0], SOL_SOCKET, SO_RCVTIMEO, &t, &len))
		return false;
	u64 limit = (u64)t.tv_sec * SECOND + (u64)t.tv_usec * 1000;
	return limit && passed >= limit;
}

long call_again(struct call *c)
{
	struct shim_thread *self = thread_self();
	u64 told = clock_told();
	for (;;) {
		self->interrupted = 0;
		long r = sys_call6(c->nr, c->arg[0], c->arg[1], c->arg[2], c->arg[3], c->arg[4], c->arg[5]);
		if (r == -EINTR && self->interrupted) {
			if (is_over(c, clock_told() - told))
				return -EAGAIN;
			continue;
		}
		if (r == -EAGAIN && ran_out(c)) {
			if (__atomic_load_n(&shim.page->held, __ATOMIC_ACQUIRE))
				continue;
			shim_note(ACT_TIMEOUT);
		}
		return r;
	}
}
