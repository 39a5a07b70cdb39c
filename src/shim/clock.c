/*
 * clock.c: the peer's time. It starts at a fixed moment, stands still while the peer works, and moves on
 * by what the peer slept or waited in vain, and what the program that it talks to has slept: so a date in an
 * answer depends on what was asked, not on when.
 *
 * Who looks at the clock over and over, and does nothing else, waits for it to move: then it does.
 */
#include <errno.h>
#include <sys/time.h>
#include <time.h>

#include "shim/shim_priv.h"

#define START_REALTIME 1767225600ull /* as the SUT's: 2026-01-01 00:00 UTC */
#define START_MONOTONIC 1000ull
#define SECOND 1000000000ull
#define SPINS 20000 /* looks in a row */

static u64 passed; /* since the start */
static u64 told;   /* of that, by the controller: the program under test has slept */
static u32 looks;
/* In a child, which nobody tells anything: what the page said when it began, and how much its timers know. */
static u64 page_began, page_timers;

void clock_start(void)
{
	passed = 0;
}

void clock_child_begins(void)
{
	page_began = page_timers = __atomic_load_n(&shim.page->told, __ATOMIC_ACQUIRE);
}

static u64 from_page(void)
{
	return shim.control >= 0 ? 0 : __atomic_load_n(&shim.page->told, __ATOMIC_ACQUIRE) - page_began;
}

void clock_child_looks(void)
{
	u64 now = page_began + from_page();
	if (now != page_timers)
		timers_advance(now - page_timers);
	page_timers = now;
}

void clock_advance(u64 ns)
{
	__atomic_fetch_add(&passed, ns, __ATOMIC_RELAXED);
	looks = 0;
}

void clock_tell(u64 ns)
{
	__atomic_fetch_add(&told, ns, __ATOMIC_RELAXED);
	clock_advance(ns);
}

u64 clock_told(void)
{
	return __atomic_load_n(&told, __ATOMIC_RELAXED) + from_page();
}

u64 clock_real(long id)
{
	struct timespec t = {0, 0};
	shim_call(SYS_clock_gettime, id, &t);
	return (u64)t.tv_sec * SECOND + (u64)t.tv_nsec;
}

u64 clock_shown(long id)
{
	u64 start = START_MONOTONIC;
	if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE || id == CLOCK_TAI)
		start = START_REALTIME;
	else if (id == CLOCK_PROCESS_CPUTIME_ID || id == CLOCK_THREAD_CPUTIME_ID || id < 0)
		start = 0;
	return start * SECOND + __atomic_load_n(&passed, __ATOMIC_RELAXED) + from_page();
}

static void look(void)
{
	shim_note(ACT_CLOCK);
	if (++looks > SPINS)
		__atomic_fetch_add(&passed, 1000000, __ATOMIC_RELAXED);
}

static long get_time(const struct call *c)
{
	int id = (int)c->arg[0]; /* clocks of processes and threads are negative */
	u64 t = clock_shown(id);
	struct timespec *out = (struct timespec *)c->arg[1];
	if (id > CLOCK_TAI)
		return -EINVAL;
	out->tv_sec = (time_t)(t / SECOND);
	out->tv_nsec = (long)(t % SECOND);
	return 0;
}

bool clock_call(struct call *c, long *result)
{
	u64 t = clock_shown(CLOCK_REALTIME);
	struct timeval *out = (struct timeval *)c->arg[0];
	*result = 0;
	switch (c->nr) {
	case SYS_clock_gettime:
		look();
		*result = get_time(c);
		return true;
	case SYS_gettimeofday:
		look();
		if (out)
			*out = (struct timeval){(time_t)(t / SECOND), (suseconds_t)(t % SECOND / 1000)};
		return true;
	case SYS_time:
		look();
		*result = (long)(t / SECOND);
		if (out)
			*(time_t *)(void *)out = *result;
		return true;
	default:
		looks = 0;
		return false;
	}
}
