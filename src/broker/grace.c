/*
 * grace.c: threads that wait for input with a short time-out. Such a thread may speak by itself when the time
 * is over ("select for 300 ms, then answer"), so at each question it is given the time until it has run once
 * more before it counts as resting.
 *
 * Event loops with a tick wait so always, and mostly the tick means nothing. Who was given its time TRIES
 * times, and never spoke because of it, is not waited for any more at that place of the program.
 *
 * That is remembered for later processes of the same program (the book), which have the same places, as peers
 * are started without address randomisation: servers that are started again and again for each conversation
 * would else be waited for again and again.
 *
 * Only short time-outs are waited for. A long one is mostly how long a peer would wait for the program: to
 * sit it out would show a program that is always too slow.
 */
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>

#include "broker/quiet_priv.h"

#define TRIES 3
#define BOOK 256u
#define NO_LIMIT (~0ull)

/* A place of a program whose time-outs mean nothing. */
static struct noted {
	u64 device, inode;
	u64 sp, pc;
	long call;
} book[BOOK];
static u32 book_next;

static bool note_of(const struct quiet_thread *t, struct noted *n)
{
	char exe[64];
	struct stat st;
	snprintf(exe, sizeof(exe), "/proc/%d/exe", (int)t->pid);
	if (stat(exe, &st))
		return false;
	memset(n, 0, sizeof(*n));
	n->device = st.st_dev;
	n->inode = st.st_ino;
	n->sp = t->grace.sp;
	n->pc = t->grace.pc;
	n->call = t->grace.call;
	return true;
}

static struct noted *noted_as(const struct quiet_thread *t)
{
	struct noted n;
	for (u32 i = 0; note_of(t, &n) && i < BOOK; i++)
		if (!memcmp(&book[i], &n, sizeof(n)))
			return &book[i];
	return NULL;
}

static void note_calm(const struct quiet_thread *t)
{
	struct noted n;
	if (!noted_as(t) && note_of(t, &n))
		book[book_next++ % BOOK] = n;
}

static void note_acts(const struct quiet_thread *t)
{
	struct noted *n = noted_as(t);
	if (n)
		memset(n, 0, sizeof(*n));
}

static bool read_memory(pid_t pid, u64 from, void *to, size_t n)
{
	struct iovec here = {to, n}, there = {(void *)from, n};
	return from && process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)n;
}

static u64 spec_ms(pid_t pid, u64 at)
{
	struct timespec t;
	if (!read_memory(pid, at, &t, sizeof(t)) || t.tv_sec < 0)
		return NO_LIMIT;
	return (u64)t.tv_sec * 1000 + (u64)t.tv_nsec / 1000000;
}

static u64 until_ms(pid_t pid, u64 at, clockid_t clock)
{
	struct timespec now;
	u64 then = spec_ms(pid, at);
	clock_gettime(clock, &now);
	u64 now_ms = (u64)now.tv_sec * 1000 + (u64)now.tv_nsec / 1000000;
	return then == NO_LIMIT ? then : then > now_ms ? then - now_ms : 0;
}

static u64 select_ms(pid_t pid, u64 at)
{
	struct timeval t;
	if (!read_memory(pid, at, &t, sizeof(t)) || t.tv_sec < 0)
		return NO_LIMIT;
	return (u64)t.tv_sec * 1000 + (u64)t.tv_usec / 1000;
}

static u64 futex_ms(pid_t pid, const struct wait *w)
{
	bool real = w->arg[1] & FUTEX_CLOCK_REALTIME;
	switch (w->arg[1] & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
		return spec_ms(pid, w->arg[3]);
	case FUTEX_LOCK_PI:
		return until_ms(pid, w->arg[3], CLOCK_REALTIME);
	default:
		return until_ms(pid, w->arg[3], real ? CLOCK_REALTIME : CLOCK_MONOTONIC);
	}
}

/* How long the wait can take, as it was called; NO_LIMIT: not known. */
static u64 limit_ms(pid_t pid, const struct wait *w)
{
	switch (w->call) {
	case SYS_poll:
		return (u64)(int)w->arg[2];
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
		return (u64)(int)w->arg[3];
	case SYS_ppoll:
	case SYS_rt_sigtimedwait:
		return spec_ms(pid, w->arg[2]);
	case SYS_select:
		return select_ms(pid, w->arg[4]);
	case SYS_pselect6:
	case SYS_recvmmsg:
		return spec_ms(pid, w->arg[4]);
	case SYS_epoll_pwait2:
	case SYS_semtimedop:
		return spec_ms(pid, w->arg[3]);
	case SYS_futex:
		return futex_ms(pid, w);
	default:
		return NO_LIMIT;
	}
}

bool grace_has_passed(const struct quiet_peer *q, struct quiet_thread *t, u64 limit)
{
	struct grace *g = &t->grace;
	const struct wait *w = &t->wait;
	bool same = g->call == w->call && g->sp == w->sp && g->pc == w->pc;
	if (limit > GRACE_MS)
		return true;
	if (!same) {
		*g = (struct grace){.call = w->call, .sp = w->sp, .pc = w->pc};
		g->tries = noted_as(t) ? TRIES : 0;
	}
	if (!g->known || g->asked != q->asked) {
		if (g->tries == TRIES && !g->acts)
			note_calm(t);
		g->tries += g->tries == TRIES;
		if (g->tries > TRIES && !g->acts)
			return true;
		g->known = g->pending = true;
		g->asked = q->asked;
		g->runs = t->runs;
		g->tries += q->questioned;
	} else if (g->runs != t->runs) {
		g->pending = false;
	}
	return !g->pending;
}

bool grace_is_over(const struct quiet_peer *q, struct quiet_thread *t)
{
	return grace_has_passed(q, t, limit_ms(t->pid, &t->wait));
}

void quiet_spoke(struct quiet_peer *q)
{
	for (u32 i = 0; i < q->threads; i++) {
		struct quiet_thread *t = &q->thread[i];
		if (t->grace.pending && thread_runs(t) != t->grace.runs) {
			note_acts(t);
			t->grace.acts = true;
		}
	}
	timers_spoke(q);
}
