/*
 * threads.h: abstract programs of threads, as a target for the reduction (search/reduction.h): locks, try and
 * timed locks, condition variables, join, shared variables, branches; threads that are created, and again
 * when they have ended; numbered things that are opened (the lowest free number), handed to threads, used and
 * closed; signals, which threads send each other and take any time, while they wait, too; a timer, which
 * sends one; a watchdog, which comes when nobody can go on, and releases a lock. It keeps what every branch,
 * try and time-out saw, and all end states. On demand it tells less than it should.
 */
#ifndef HEDDLE_TEST_THREADS_H
#define HEDDLE_TEST_THREADS_H

#include <string.h>

#include "models.h"
#include "together.h"

#define THREADS 4
#define OPS 10
#define SHARED 3
#define LOCKS 3
#define CONDS 2
#define NUMBERS 3
#define MANY 40 /* more than a control point has variants */
/* Variables of the toy. */
#define PC(t) (t)
#define WAITS(t) (THREADS + (t)) /* enum waits */
#define VALUE(v) (2 * THREADS + (v))
#define OWNER(m) (2 * THREADS + SHARED + (m)) /* thread + 1 */
#define STARTED(t) (2 * THREADS + SHARED + LOCKS + (t))
#define LOCAL(t) (3 * THREADS + SHARED + LOCKS + (t)) /* a number + 1, or 0 */
#define COUNT(t) (4 * THREADS + SHARED + LOCKS + (t)) /* of its own steps, if it counts them */
#define THING(n) (5 * THREADS + SHARED + LOCKS + (n)) /* value + 1; 0: closed */
#define SIGNALLED(t) (5 * THREADS + SHARED + LOCKS + NUMBERS + (t))
#define ARMED (6 * THREADS + SHARED + LOCKS + NUMBERS) /* thread + 1 */
#define WATCHED (ARMED + 1)
#define VARS (WATCHED + 1)

enum what {
	END,
	SET,
	INCREMENT,
	BRANCH, /* if the variable has this value, go elsewhere */
	LOCK,
	LOCK_TIMED, /* elsewhere if it gives up */
	TRY,        /* elsewhere if it is held */
	UNLOCK,     /* merged into the step before it */
	WAIT,
	WAIT_TIMED,
	SIGNAL,
	BROADCAST,
	JOIN,
	OWN,    /* touches nothing that others do */
	CREATE, /* with the creator's number */
	OPEN,   /* elsewhere if there is no free number */
	USE,    /* its own number, or (b) a fixed one; elsewhere if it is closed */
	CLOSE,
	KILL, /* a signal for a thread */
	ARM,  /* the timer will send one to it; b: the watchdog instead */
};
enum waits { RUNS, IN_WAIT, WOKEN };

struct instruction {
	enum what what;
	int a, b;
	int elsewhere;
};

struct code {
	int threads;
	bool dormant[THREADS]; /* until it is created */
	bool counts;
	struct instruction op[THREADS][OPS + 4];
	int length[THREADS];
};

static const struct code *code;
static struct footprint print;
static bool hides_pending, hides_wakes, hides_closed, joins_too_much, hides_aside; /* ways to be broken */

#define GO 0u
#define GIVES_UP 100u
#define WAKES 200u /* + thread */
#define TAKES 300u
#define EXPIRES 301u /* beside the first thread */
#define BARKS 302u
#define TIMER THREADS /* in place of a thread */

/* ---- what was seen ---- */

/* Several processes may see at a time. */
#define SEEN_MAX (1u << 16)
static u64 *seen;

static void see(u64 what)
{
	what = what * 0x9e3779b97f4a7c15u | 1;
	for (u32 h = (u32)(what >> 40) % SEEN_MAX, steps = 0;; h = (h + 1) % SEEN_MAX) {
		u64 there = 0;
		if (seen[h] == what)
			return;
		if (!seen[h] && (__atomic_compare_exchange_n(&seen[h], &there, what, false, __ATOMIC_RELAXED,
							     __ATOMIC_RELAXED) ||
				 there == what))
			return;
		hd_assert(++steps < SEEN_MAX / 2);
	}
}

static u64 seen_sum(void)
{
	u64 sum = 0;
	for (u32 i = 0; i < SEEN_MAX; i++)
		sum += seen[i] ? (seen[i] ^ seen[i] >> 31) * 0xbf58476d1ce4e5b9u : 0;
	return sum;
}

static void forget_seen(void)
{
	if (!seen)
		seen = together_memory(SEEN_MAX * sizeof(*seen));
	memset(seen, 0, SEEN_MAX * sizeof(*seen));
}

static void see_event(int thread, int pc, int what)
{
	see(1000000u + (u64)thread * 10000 + (u64)pc * 100 + (u64)what);
}

/* ---- the target ---- */

static bool alive(const struct toy *t, int thread)
{
	return (!code->dormant[thread] || t->var[STARTED(thread)]) &&
	       t->var[PC(thread)] < code->length[thread];
}

static const struct instruction *at(const struct toy *t, int thread)
{
	return &code->op[thread][t->var[PC(thread)]];
}

static bool waits_for(const struct toy *t, int thread, int cond)
{
	return alive(t, thread) && t->var[WAITS(thread)] == IN_WAIT && at(t, thread)->a == cond;
}

static u32 own_actions(const struct toy *t, int thread, u32 *out)
{
	u32 n = 0;
	const struct instruction *i = at(t, thread);
	bool go = true;
	if (t->var[WAITS(thread)] == IN_WAIT) {
		if (i->what == WAIT_TIMED)
			out[n++] = MODEL_ACTION(thread, GIVES_UP);
		return n;
	}
	if (t->var[WAITS(thread)] == WOKEN)
		go = !t->var[OWNER(i->b)];
	else if (i->what == LOCK)
		go = !t->var[OWNER(i->a)];
	else if (i->what == JOIN)
		go = !alive(t, i->a);
	else if (i->what == LOCK_TIMED && t->var[OWNER(i->a)])
		return out[0] = MODEL_ACTION(thread, GIVES_UP), 1;
	for (int x = 0; i->what == SIGNAL && x < code->threads; x++)
		if (waits_for(t, x, i->a))
			out[n++] = MODEL_ACTION(thread, WAKES + (u32)x);
	if (!n && go)
		out[n++] = MODEL_ACTION(thread, GO);
	return n;
}

static u32 code_actions(const struct toy *t, u32 *out)
{
	u32 n = 0;
	int first = -1;
	for (int thread = code->threads - 1; thread >= 0; thread--) {
		if (!alive(t, thread))
			continue;
		first = thread;
		n += own_actions(t, thread, out + n);
		if (t->var[SIGNALLED(thread)])
			out[n++] = MODEL_ACTION(thread, TAKES);
	}
	if (t->var[ARMED] && first >= 0)
		out[n++] = MODEL_ACTION(first, EXPIRES);
	if (!n && t->var[WATCHED] && first >= 0)
		out[n++] = MODEL_ACTION(first, BARKS);
	return n;
}

static u64 var_object(int v)
{
	return object_id(OBJECT_FILE, (u64)v);
}
static u64 lock_object(int m)
{
	return object_id(OBJECT_PIPE, (u64)m);
}
static u64 cond_object(int c)
{
	return object_id(OBJECT_SOCKET, (u64)c);
}
static u64 end_object(int thread)
{
	return object_id(OBJECT_PROCESS, (u64)thread);
}
static u64 thread_object(int thread)
{
	return object_id(OBJECT_THREAD, (u64)thread);
}

static u64 thing_object(int n)
{
	return object_id(OBJECT_FD, (u64)n);
}
#define NUMBERS_OBJECT object_id(OBJECT_FD_TABLE, 0)
#define TIMER_OBJECT object_id(OBJECT_SIGNALS, 0)
#define WATCHDOG_OBJECT object_id(OBJECT_SIGNALS, 1)

/* What USE and CLOSE are about; -1: nothing. */
static int number_of(const struct toy *t, int thread)
{
	int b = at(t, thread)->b;
	return b >= 0 ? b : t->var[LOCAL(thread)] - 1;
}

static void touch_thing(struct footprint *f, const struct toy *t, int n, bool closes)
{
	bool open = n >= 0 && t->var[THING(n)];
	if (closes)
		footprint_add(f, NUMBERS_OBJECT, 1, ACCESS_ADD);
	if (n >= 0)
		footprint_add(f, thing_object(n), 1, open || hides_closed ? ACCESS_WRITE : ACCESS_TRY);
}

static int free_number(const struct toy *t)
{
	int n = 0;
	while (n < NUMBERS && t->var[THING(n)])
		n++;
	return n;
}

/* Sending a signal to a thread, if it is there; beside whom the timer expires. */
static void touch_target(struct footprint *f, int thread)
{
	footprint_add(f, end_object(thread), 1, ACCESS_READ);
	footprint_add(f, thread_object(thread), 1, ACCESS_WRITE);
}

static void touch_timer(struct footprint *f, const struct toy *t)
{
	footprint_add(f, TIMER_OBJECT, 1, ACCESS_WRITE);
	for (int x = 0; t->var[ARMED] && x < code->threads; x++)
		footprint_add(f, end_object(x), 1, ACCESS_READ);
	if (t->var[ARMED])
		touch_target(f, t->var[ARMED] - 1);
}

static void touch(struct footprint *f, const struct toy *t, int thread)
{
	const struct instruction *i = at(t, thread);
	footprint_add(f, thread_object(thread), 1, ACCESS_READ);
	if (t->var[WAITS(thread)] == IN_WAIT) {
		footprint_add(f, cond_object(i->a), 1, ACCESS_WRITE);
		return;
	}
	if (t->var[WAITS(thread)] == WOKEN) {
		footprint_add(f, lock_object(i->b), 1, ACCESS_ACQUIRE);
		return;
	}
	switch (i->what) {
	case SET:
	case INCREMENT:
		footprint_add(f, var_object(i->a), 1, ACCESS_WRITE);
		return;
	case BRANCH:
		footprint_add(f, var_object(i->a), 1, ACCESS_READ);
		return;
	case LOCK:
		footprint_add(f, lock_object(i->a), 1, ACCESS_ACQUIRE);
		return;
	case UNLOCK:
		footprint_add(f, lock_object(i->a), 1, ACCESS_RELEASE);
		return;
	case LOCK_TIMED:
	case TRY:
		footprint_add(f, lock_object(i->a), 1, ACCESS_TRY);
		return;
	case WAIT:
	case WAIT_TIMED:
		footprint_add(f, cond_object(i->a), 1, ACCESS_WRITE);
		footprint_add(f, lock_object(i->b), 1, ACCESS_RELEASE);
		return;
	case SIGNAL:
	case BROADCAST:
		footprint_add(f, cond_object(i->a), 1, ACCESS_WRITE);
		return;
	case JOIN:
		footprint_add(f, end_object(i->a), 1, ACCESS_READ);
		return;
	case CREATE:
		footprint_add(f, end_object(i->a), 1, ACCESS_WRITE);
		if (!alive(t, i->a))
			footprint_add(f, thread_object(i->a), 1, ACCESS_MAKE);
		return;
	case OPEN:
		footprint_add(f, NUMBERS_OBJECT, 1, ACCESS_WRITE);
		if (free_number(t) < NUMBERS)
			footprint_add(f, thing_object(free_number(t)), 1, ACCESS_MAKE);
		return;
	case USE:
	case CLOSE:
		touch_thing(f, t, number_of(t, thread), i->what == CLOSE);
		return;
	case KILL:
		touch_target(f, i->a);
		return;
	case ARM:
		footprint_add(f, i->b ? WATCHDOG_OBJECT : TIMER_OBJECT, 1, ACCESS_WRITE);
		return;
	default:
		return;
	}
}

static void go_to(struct toy *t, int thread, int pc)
{
	toy_set(t, (u32)PC(thread), pc);
	toy_set(t, (u32)WAITS(thread), RUNS);
}

static void wake(struct toy *t, int thread)
{
	if (!hides_wakes)
		footprint_add(&print, thread_object(thread), 1, ACCESS_WRITE);
	toy_set(t, (u32)WAITS(thread), WOKEN);
}

static void release(struct toy *t, int thread, int lock)
{
	if (t->var[OWNER(lock)] == thread + 1)
		toy_set(t, (u32)OWNER(lock), 0);
}

static void create(struct toy *t, int thread, int by)
{
	toy_set(t, (u32)STARTED(thread), 1);
	toy_set(t, (u32)SIGNALLED(thread), 0);
	toy_set(t, (u32)LOCAL(thread), t->var[LOCAL(by)]);
	go_to(t, thread, 0);
}

/* Where it goes on. */
static int open_or_use(struct toy *t, int thread)
{
	const struct instruction *i = at(t, thread);
	int next = t->var[PC(thread)] + 1, n = i->what == OPEN ? free_number(t) : number_of(t, thread);
	bool there = n >= 0 && n < NUMBERS && (i->what == OPEN || t->var[THING(n)]);
	see_event(thread, next - 1, 10 + (there ? n * 4 + t->var[THING(n)] : -1));
	if (!there)
		return i->what == CLOSE ? next : i->elsewhere;
	toy_set(t, (u32)THING(n), i->what == CLOSE ? 0 : t->var[THING(n)] % 3 + 1);
	if (i->what == OPEN)
		toy_set(t, (u32)LOCAL(thread), n + 1);
	return next;
}

static void send(struct toy *t, int thread)
{
	if (alive(t, thread))
		toy_set(t, (u32)SIGNALLED(thread), 1);
}

/* What is no instruction. */
static void execute_aside(struct toy *t, int thread, u32 alt)
{
	int v = thread % SHARED;
	switch (alt) {
	case TAKES:
		footprint_add(&print, thread_object(thread), 1, ACCESS_READ);
		footprint_add(&print, var_object(v), 1, ACCESS_WRITE);
		see_event(thread, t->var[PC(thread)], 80 + t->var[VALUE(v)]);
		toy_set(t, (u32)SIGNALLED(thread), 0);
		toy_set(t, (u32)VALUE(v), (t->var[VALUE(v)] + 1) % 3);
		break;
	case EXPIRES:
		touch_timer(&print, t);
		send(t, t->var[ARMED] - 1);
		toy_set(t, ARMED, 0);
		break;
	default:
		footprint_add(&print, WATCHDOG_OBJECT, 1, ACCESS_WRITE);
		footprint_add(&print, lock_object(0), 1, ACCESS_RELEASE);
		toy_set(t, (u32)OWNER(0), 0);
		toy_set(t, WATCHED, 0);
	}
}

/* One instruction; false: the thread waits now. */
static bool execute(struct toy *t, int thread, u32 alt)
{
	const struct instruction *i = at(t, thread);
	int pc = t->var[PC(thread)];
	if (t->var[WAITS(thread)] == IN_WAIT) { /* gives up */
		see_event(thread, pc, 90);
		toy_set(t, (u32)WAITS(thread), WOKEN);
		return false;
	}
	if (t->var[WAITS(thread)] == WOKEN) {
		toy_set(t, (u32)OWNER(i->b), thread + 1);
		go_to(t, thread, pc + 1);
		return true;
	}
	bool held = (i->what == LOCK_TIMED || i->what == TRY) && t->var[OWNER(i->a)];
	int next = pc + 1;
	switch (i->what) {
	case SET:
		toy_set(t, (u32)VALUE(i->a), i->b);
		break;
	case INCREMENT:
		toy_set(t, (u32)VALUE(i->a), (t->var[VALUE(i->a)] + 1) % 3);
		break;
	case BRANCH:
		see_event(thread, pc, t->var[VALUE(i->a)]);
		if (t->var[VALUE(i->a)] == i->b)
			next = i->elsewhere;
		break;
	case LOCK:
	case LOCK_TIMED:
	case TRY:
		if (held) {
			see_event(thread, pc, 91);
			next = i->elsewhere;
		} else {
			toy_set(t, (u32)OWNER(i->a), thread + 1);
		}
		break;
	case UNLOCK:
		release(t, thread, i->a);
		break;
	case WAIT:
	case WAIT_TIMED:
		release(t, thread, i->b);
		toy_set(t, (u32)WAITS(thread), IN_WAIT);
		return false;
	case SIGNAL:
		if (alt >= WAKES)
			wake(t, (int)(alt - WAKES));
		break;
	case BROADCAST:
		for (int x = 0; x < code->threads; x++)
			if (waits_for(t, x, i->a))
				wake(t, x);
		break;
	case CREATE:
		see_event(thread, pc, alive(t, i->a));
		if (!alive(t, i->a))
			create(t, i->a, thread);
		break;
	case OPEN:
	case USE:
	case CLOSE:
		next = open_or_use(t, thread);
		break;
	case KILL:
		send(t, i->a);
		break;
	case ARM:
		toy_set(t, i->b ? WATCHED : ARMED, i->a + 1);
		break;
	default:
		break;
	}
	if (code->counts)
		toy_set(t, (u32)COUNT(thread), (t->var[COUNT(thread)] + 1) % MANY);
	go_to(t, thread, next);
	return true;
}

static enum step_result code_step(struct toy *t, u32 action)
{
	int thread = (int)MODEL_FIBER(action);
	footprint_clear(&print);
	if ((action & 0xffff) >= TAKES) {
		execute_aside(t, thread, action & 0xffff);
		return STEP_OK;
	}
	touch(&print, t, thread);
	bool goes_on = execute(t, thread, (action & 0xffff));
	while (goes_on && alive(t, thread) && at(t, thread)->what == UNLOCK) {
		touch(&print, t, thread);
		goes_on = execute(t, thread, GO);
	}
	if (!alive(t, thread))
		footprint_add(&print, end_object(thread), 1, ACCESS_WRITE);
	return STEP_OK;
}

static enum terminal_kind code_terminal(struct toy *t)
{
	see(t->fp.lo ^ t->fp.hi << 1);
	return TERMINAL_END;
}

static const struct footprint *code_footprint(void *self)
{
	(void)self;
	return &print;
}

static bool code_usable(void *self)
{
	(void)self;
	return true;
}

static u32 code_fibers(void *self, u32 *out, u32 room)
{
	u32 n = 0;
	for (int x = 0; x < code->threads; x++)
		if (alive(self, x) && n < room)
			out[n++] = (u32)x;
	if (n < room)
		out[n++] = TIMER;
	return n;
}

static u32 code_actor(void *self, u32 action)
{
	(void)self;
	u32 alt = action & 0xffff;
	return alt == EXPIRES ? TIMER : alt == BARKS ? TARGET_NOBODY : MODEL_FIBER(action);
}

static bool code_aside(void *self, u32 action)
{
	(void)self;
	return (action & 0xffff) == TAKES && !hides_aside;
}

static u64 code_point(void *self, u32 fiber)
{
	const struct toy *t = self;
	if (fiber == TIMER)
		return TIMER * 1000000u;
	return alive(t, (int)fiber)
		       ? 1 + fiber * 1000000u + (u64)t->var[PC(fiber)] * 10 + (u64)t->var[WAITS(fiber)]
		       : 0;
}

static u64 code_detail(void *self, u32 fiber)
{
	const struct toy *t = self;
	return fiber == TIMER ? 0 : (u64)t->var[LOCAL(fiber)] * 1000 + (u64)t->var[COUNT(fiber)];
}

static u32 code_joins(void *self, u32 fiber)
{
	if (fiber == TIMER)
		return 0;
	const struct instruction *i = at(self, (int)fiber);
	if (joins_too_much && i->what != JOIN)
		return 1 + (fiber + 1) % (u32)code->threads;
	return i->what == JOIN ? 1 + (u32)i->a : 0;
}

static void code_pending(void *self, u32 fiber, struct footprint *out)
{
	footprint_clear(out);
	if (fiber == TIMER)
		touch_timer(out, self);
	else if (!hides_pending)
		touch(out, self, (int)fiber);
}

static const struct target_reduction code_reduction = {.usable = code_usable,
						       .fibers = code_fibers,
						       .actor = code_actor,
						       .aside = code_aside,
						       .point = code_point,
						       .detail = code_detail,
						       .joins = code_joins,
						       .pending = code_pending};
static const struct toy_model model = {
	.vars = VARS, .actions = code_actions, .step = code_step, .terminal = code_terminal};

#endif
