/*
 * The futex system call, for code that brings its own locks.
 *
 * A futex is an address; who sleeps on it is known from the fibers' pending operations.
 * FUTEX_WAIT is a step (compare and fall asleep), FUTEX_WAKE is one, with a choice of whom
 * to wake. Operations with priority inheritance are refused.
 */
#include "runtime/sched/futex.h"

#include <errno.h>
#include <linux/futex.h>
#include <time.h>

#include "runtime/sched/access.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/op_classes.h"

#ifndef FUTEX_CMD_MASK
#define FUTEX_CMD_MASK 127
#endif

/* The next sleeper behind f in the order of slots; NULL, for f: the first; as result: no more. */
static struct fiber *next_sleeper(const struct fiber *f, u64 address, u32 bits)
{
	struct fiber *next;
	for (u32 from = f ? fiber_slot(f) + 1 : 0;; from = fiber_slot(next) + 1) {
		next = sched_find_pending(from, OP_FUTEX_SLEEP, address);
		if (!next || (!fiber_op(next)->arg && (fiber_op(next)->n & bits)))
			return next;
	}
}

static HD_NOINLINE u32 sleepers(u64 address, u32 bits)
{
	u32 n = 0;
	for (const struct fiber *f = next_sleeper(NULL, address, bits); f; f = next_sleeper(f, address, bits))
		n++;
	return n;
}

static long futex_wait(u64 address, u32 expected, u32 bits, u64 deadline)
{
	u32 alt;
	do {
		struct op o = {.kind = OP_FUTEX_WAIT, .object = address, .n = expected};
		sched_step(&o);
		if (*(const volatile u32 *)address != expected)
			return -EAGAIN;
		struct op sleep = {.kind = OP_FUTEX_SLEEP,
				   .object = address,
				   .n = bits,
				   .deadline = deadline,
				   .flags = OPF_INSIDE | OPF_EINTR | (deadline ? 0 : OPF_RESTART)};
		alt = sched_step(&sleep);
	} while (alt == ALT_RESTART);
	return alt == ALT_TIMEOUT ? -ETIMEDOUT : alt == ALT_EINTR ? -EINTR : 0;
}

static void wake(struct fiber *f)
{
	struct op *o = fiber_op_mut(f);
	o->arg = 1;
	o->deadline = 0;
}

static void wake_nth(u64 address, u32 bits, u32 nth)
{
	struct fiber *f = next_sleeper(NULL, address, bits);
	while (f && nth--)
		f = next_sleeper(f, address, bits);
	if (f)
		wake(f);
}

/* Wake up to max sleepers. Where only some can be woken, each one is a choice. */
static long futex_wake(u64 address, u32 max, u32 bits)
{
	long woken = 0;
	do {
		struct op o = {.kind = OP_FUTEX_WAKE, .object = address, .n = bits, .arg = max - (u32)woken};
		u32 nth = sched_step(&o);
		u32 n = sleepers(address, bits);
		if (max - (u32)woken >= n) {
			for (u32 i = 0; i < n; i++)
				wake_nth(address, bits, 0);
			return woken + n;
		}
		wake_nth(address, bits, nth);
	} while (++woken < max);
	return woken;
}

static long futex_requeue(u64 from, u32 wake_max, u64 to, u32 move_max)
{
	long n = wake_max ? futex_wake(from, wake_max, FUTEX_BITSET_MATCH_ANY) : 0;
	access_declare(from, 4, ACCESS_WRITE);
	access_declare(to, 4, ACCESS_WRITE);
	struct fiber *f = next_sleeper(NULL, from, FUTEX_BITSET_MATCH_ANY);
	for (; f && move_max; f = next_sleeper(f, from, FUTEX_BITSET_MATCH_ANY)) {
		fiber_op_mut(f)->object = to;
		move_max--;
		n++;
	}
	return n;
}

/* FUTEX_WAKE_OP: change *to, then wake sleepers on from, and on to if the old value compares. */
static long futex_wake_op(u64 from, u32 max, u64 to, u32 max2, u32 encoded)
{
	u32 op = encoded >> 28 & 7, cmp = encoded >> 24 & 15;
	int arg = (int)(encoded << 8) >> 20, cmp_arg = (int)(encoded << 20) >> 20;
	int *word = (int *)to, old = *word;
	if (encoded >> 31)
		arg = 1 << (arg & 31);
	int changed[] = {arg, old + arg, old | arg, old & ~arg, old ^ arg};
	bool holds[] = {old == cmp_arg, old != cmp_arg, old<cmp_arg, old <= cmp_arg, old> cmp_arg,
			old >= cmp_arg};
	if (op >= HD_ARRAY_LEN(changed) || cmp >= HD_ARRAY_LEN(holds))
		return -ENOSYS;
	access_declare(to, 4, ACCESS_WRITE);
	*word = changed[op];
	long n = futex_wake(from, max, FUTEX_BITSET_MATCH_ANY);
	return holds[cmp] ? n + futex_wake(to, max2, FUTEX_BITSET_MATCH_ANY) : n;
}

static u64 deadline_of(const long *a, bool absolute)
{
	const struct timespec *ts = (const struct timespec *)a[3];
	if (!ts)
		return 0;
	if (!absolute)
		return clock_deadline((u64)ts->tv_sec * 1000000000u + (u64)ts->tv_nsec);
	int clock_id = a[1] & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;
	return clock_deadline_at(clock_id, ts->tv_sec, ts->tv_nsec);
}

/* What lies in the place of an argument that the operation does not have is left over from other work. */
static void forget_the_rest(long *a)
{
	switch (a[1] & FUTEX_CMD_MASK & ~FUTEX_CLOCK_REALTIME) {
	case FUTEX_WAKE:
		a[3] = a[4] = a[5] = 0;
		break;
	case FUTEX_WAIT:
		a[4] = a[5] = 0;
		break;
	case FUTEX_WAKE_BITSET:
		a[3] = a[4] = 0;
		break;
	case FUTEX_WAIT_BITSET:
		a[4] = 0;
		break;
	default:
		break;
	}
}

long futex_call(long *a, u64 pc)
{
	forget_the_rest(a);
	u64 address = (u64)a[0], second = (u64)a[4];
	u32 value = (u32)a[2];
	if (address & 3)
		return -EINVAL;
	switch (a[1] & FUTEX_CMD_MASK & ~FUTEX_CLOCK_REALTIME) {
	case FUTEX_WAIT:
		return futex_wait(address, value, FUTEX_BITSET_MATCH_ANY, deadline_of(a, false));
	case FUTEX_WAIT_BITSET:
		return a[5] ? futex_wait(address, value, (u32)a[5], deadline_of(a, true)) : -EINVAL;
	case FUTEX_WAKE:
		return futex_wake(address, value, FUTEX_BITSET_MATCH_ANY);
	case FUTEX_WAKE_BITSET:
		return a[5] ? futex_wake(address, value, (u32)a[5]) : -EINVAL;
	case FUTEX_CMP_REQUEUE:
		if (*(const volatile u32 *)address != (u32)a[5])
			return -EAGAIN;
		return futex_requeue(address, value, second, (u32)a[3]);
	case FUTEX_REQUEUE:
		return futex_requeue(address, value, second, (u32)a[3]);
	case FUTEX_WAKE_OP:
		return futex_wake_op(address, value, second, (u32)a[3], (u32)a[5]);
	default:
		sched_refused("futex with priority inheritance", pc);
		return -ENOSYS;
	}
}

/*
 * The word is read, and the fiber joins or leaves those who sleep: that commutes with others who do the
 * same.
 */
static void sleep_accesses(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)f;
	(void)alt;
	access_declare(o->object, 4, ACCESS_ADD);
}

static void wake_accesses(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)f;
	(void)alt;
	access_declare(o->object, 4, ACCESS_WRITE);
}

static u32 sleep_outcomes(const struct fiber *f, const struct op *o)
{
	(void)f;
	return o->arg != 0;
}

static u32 wake_outcomes(const struct fiber *f, const struct op *o)
{
	(void)f;
	u32 n = sleepers(o->object, o->n);
	return o->arg >= n ? 1 : n;
}

static void sleep_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	text_str(t, alt == OP_DESCRIBE_PENDING ? "sleeps on futex "
		    : alt == ALT_TIMEOUT       ? "times out on futex "
					       : "wakes on futex ");
	text_addr(t, o->object);
}

static void wake_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	u32 n = sleepers(o->object, o->n);
	text_str(t, "wakes futex ");
	text_addr(t, o->object);
	if (!n)
		text_str(t, " (nobody waits)");
	else if (o->arg >= n && n > 1)
		text_fmt(t, ", wakes %u threads", n);
	else if (alt < n) {
		const struct fiber *woken = next_sleeper(NULL, o->object, o->n);
		while (woken && alt--)
			woken = next_sleeper(woken, o->object, o->n);
		text_str(t, ", wakes ");
		fiber_describe(woken, t);
	}
}

/*
 * object of all: the address; FUTEX_SLEEP: n: the bits, arg: 1 when woken; FUTEX_WAKE: n: the bits, arg:
 * how many
 */
const struct op_class op_futex_wait = {.name = "checks futex", .accesses = sleep_accesses};
const struct op_class op_futex_sleep = {
	.name = "sleep on futex",
	.outcomes = sleep_outcomes,
	.describe = sleep_describe,
	.accesses = sleep_accesses,
};
const struct op_class op_futex_wake = {
	.name = "wakes futex",
	.outcomes = wake_outcomes,
	.describe = wake_describe,
	.accesses = wake_accesses,
};
