/*
 * Condition variables.
 *
 * wait = enter (give up the mutex, join the waiters), sleep, then take the mutex again. Entering
 * belongs to the step before, unless the variable is signalled without the mutex (access.h).
 * A waker turns the sleeper's COND_WAIT into COND_RELOCK; waking and taking the mutex
 * are one step then. A time-out or spurious wake-up is a step that leaves the waiters,
 * and taking the mutex another: in between a signal goes to somebody else.
 */
#include "runtime/sched/cond.h"

#include <errno.h>
#include <pthread.h>

#include "runtime/sched/access.h"
#include "runtime/sched/aside.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/freed.h"
#include "runtime/sched/op_classes.h"
#include "runtime/sched/thread.h"

static HD_NORETURN void misuse(const struct vcond *c, const char *what, u64 pc)
{
	sched_misuse(what, "condition variable", (u64)c, pc);
}

static void check_alive(const struct vcond *c, u64 pc)
{
	freed_check((u64)c, "a condition variable", pc);
	if (hd_unlikely(c->destroyed))
		misuse(c, "use of a destroyed", pc);
}

static void clear(struct vcond *c, u32 clock)
{
	for (u32 i = 0; i < sizeof(pthread_cond_t) / 8; i++)
		((u64 *)c)[i] = 0;
	c->clock = clock;
}

int cond_init(struct vcond *c, u32 clock)
{
	access_declare((u64)c, 1, ACCESS_WRITE);
	clear(c, clock);
	return 0;
}

/* The next waiter behind f in the order of slots; NULL, for f: the first; as result: no more. */
static struct fiber *next_waiter(const struct fiber *f, u64 cond)
{
	return sched_find_pending(f ? fiber_slot(f) + 1 : 0, OP_COND_WAIT, cond);
}

static HD_NOINLINE u32 waiters(u64 cond)
{
	u32 n = 0;
	for (const struct fiber *f = next_waiter(NULL, cond); f; f = next_waiter(f, cond))
		n++;
	return n;
}

static struct fiber *nth_waiter(u64 cond, u32 n)
{
	struct fiber *f = next_waiter(NULL, cond);
	while (f && n--)
		f = next_waiter(f, cond);
	return f;
}

static void wake(struct fiber *f)
{
	struct op *o = fiber_op_mut(f);
	*o = (struct op){.kind = OP_COND_RELOCK, .object = o->object, .arg = o->arg, .flags = OPF_WAITER};
}

/* 0, or what a robust mutex says. */
static int relock(struct vcond *c, struct vmutex *m, u64 pc)
{
	struct op o = {.kind = OP_COND_RELOCK, .object = (u64)c, .arg = (u64)m};
	sched_step(&o);
	freed_check((u64)m, "a mutex", pc);
	return mutex_take_again(m);
}

/* An error; 0: go on; -1: go on with a step of its own. */
static HD_NOINLINE int before_wait(struct vcond *c, struct vmutex *m, u64 pc)
{
	check_alive(c, pc);
	freed_check((u64)m, "a mutex", pc);
	if (!mutex_mine((u64)m)) {
		if ((m->kind & 3) == PTHREAD_MUTEX_ERRORCHECK_NP)
			return EPERM;
		misuse(c, "wait without holding the mutex, on", pc);
	}
	bool enter_is_step = access_cond_wait((u64)c, (u64)m),
	     release_is_step = access_use((u64)m, ACCESS_RELEASE);
	return enter_is_step || release_is_step ? -1 : 0;
}

int cond_wait(struct vcond *c, struct vmutex *m, u64 deadline, u64 pc)
{
	int r = before_wait(c, m, pc);
	if (r > 0)
		return r;
	if (r < 0) {
		struct op enter = {.kind = OP_COND_ENTER, .object = (u64)c, .arg = (u64)m};
		sched_step(&enter);
		check_alive(c, pc);
		freed_check((u64)m, "a mutex", pc);
	} else {
		aside(OP_COND_ENTER, (u64)c, (u64)m);
	}
	mutex_release_once(m);
	struct op o = {.kind = OP_COND_WAIT,
		       .object = (u64)c,
		       .arg = (u64)m,
		       .deadline = deadline,
		       .flags = OPF_CANCEL | OPF_CANCEL_SELF | OPF_SPURIOUS | OPF_WAITER};
	u32 alt = sched_step(&o);
	if (alt == 0) {
		freed_check((u64)m, "a mutex", pc);
		return mutex_take_again(m);
	}
	r = relock(c, m, pc);
	if (alt == ALT_CANCEL)
		thread_cancel_now();
	return r ? r : alt == ALT_TIMEOUT ? ETIMEDOUT : 0;
}

static HD_NOINLINE bool signal_is_step(struct vcond *c, u64 pc)
{
	check_alive(c, pc);
	return access_cond_signal((u64)c, mutex_mine) || waiters((u64)c) > 1;
}

int cond_signal(struct vcond *c, u64 pc)
{
	u32 chosen = 0;
	if (signal_is_step(c, pc)) {
		struct op o = {.kind = OP_COND_SIGNAL, .object = (u64)c};
		chosen = sched_step(&o);
		check_alive(c, pc);
	} else {
		aside(OP_COND_SIGNAL, (u64)c, 0);
	}
	struct fiber *woken = nth_waiter((u64)c, chosen);
	if (woken)
		wake(woken);
	return 0;
}

int cond_broadcast(struct vcond *c, u64 pc)
{
	check_alive(c, pc);
	if (access_cond_signal((u64)c, mutex_mine)) {
		struct op o = {.kind = OP_COND_BROADCAST, .object = (u64)c};
		sched_step(&o);
		check_alive(c, pc);
	} else {
		aside(OP_COND_BROADCAST, (u64)c, 0);
	}
	for (struct fiber *f = next_waiter(NULL, (u64)c); f; f = next_waiter(f, (u64)c))
		wake(f);
	return 0;
}

int cond_destroy(struct vcond *c, u64 pc)
{
	check_alive(c, pc);
	if (access_destroy((u64)c)) {
		struct op o = {.kind = OP_COND_DESTROY, .object = (u64)c};
		sched_step(&o);
		check_alive(c, pc);
	}
	if (waiters((u64)c))
		misuse(c, "destroy of a waited-on", pc);
	clear(c, 0);
	c->destroyed = 1;
	return 0;
}

static u32 never(const struct fiber *f, const struct op *o)
{
	(void)f;
	(void)o;
	return 0;
}

static u32 relock_outcomes(const struct fiber *f, const struct op *o)
{
	return mutex_free_for(o->arg, f);
}

static u32 signal_outcomes(const struct fiber *f, const struct op *o)
{
	(void)f;
	u32 n = waiters(o->object);
	return n ? n : 1;
}

static void wait_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	text_str(t, alt == OP_DESCRIBE_PENDING ? "waits on condition variable "
		    : alt == ALT_TIMEOUT       ? "times out on condition variable "
		    : alt == ALT_SPURIOUS      ? "wakes spuriously on condition variable "
					       : "leaves condition variable ");
	text_addr(t, o->object);
}

static void relock_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	if (alt == OP_DESCRIBE_PENDING) {
		text_str(t, "was woken on condition variable ");
		text_addr(t, o->object);
		text_str(t, mutex_free_for(o->arg, f) ? " and is about to lock " : " and waits for ");
		mutex_describe(o->arg, t);
		return;
	}
	text_str(t, "wakes on condition variable ");
	text_addr(t, o->object);
	text_str(t, " and locks mutex ");
	text_addr(t, o->arg);
}

static void signal_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	text_str(t, "signals condition variable ");
	text_addr(t, o->object);
	const struct fiber *woken = nth_waiter(o->object, alt);
	text_str(t, woken ? ", wakes " : " (nobody waits)");
	if (woken)
		fiber_describe(woken, t);
}

static void broadcast_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	(void)alt;
	text_str(t, "broadcasts condition variable ");
	text_addr(t, o->object);
	u32 n = waiters(o->object);
	if (!n)
		text_str(t, " (nobody waits)");
	else
		text_fmt(t, ", wakes %u thread%s", n, n == 1 ? "" : "s");
}

static void enter_accesses(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)f;
	(void)alt;
	access_declare(o->object, 1, ACCESS_ADD);
	access_declare(o->arg, 1, ACCESS_RELEASE);
}

static void relock_accesses(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)f;
	(void)alt;
	access_declare(o->arg, 1, ACCESS_ACQUIRE);
}

static u64 mutex_of(const struct op *o)
{
	return o->arg;
}

static struct op_wait relock_wait(const struct op *o)
{
	return mutex_wait(o->arg);
}

/* object of all: the pthread_cond_t; arg of the first three: the mutex */
const struct op_class op_cond_enter = {
	.name = "starts waiting on condition variable",
	.accesses = enter_accesses,
	.returns_to = mutex_of,
};
const struct op_class op_cond_wait = {
	.name = "wait",
	.outcomes = never,
	.describe = wait_describe,
	.accesses = op_adds, /* a time-out or the like: it leaves the waiters */
	.returns_to = mutex_of,
};
const struct op_class op_cond_relock = {
	.name = "wake up",
	.outcomes = relock_outcomes,
	.describe = relock_describe,
	.accesses = relock_accesses,
	.wait = relock_wait,
	.returns_to = mutex_of,
};
const struct op_class op_cond_signal = {
	.name = "signal",
	.outcomes = signal_outcomes,
	.describe = signal_describe,
	.accesses = op_writes,
};
const struct op_class op_cond_broadcast = {
	.name = "broadcast",
	.describe = broadcast_describe,
	.accesses = op_writes,
};
const struct op_class op_cond_destroy = {.name = "destroys condition variable", .accesses = op_writes};
