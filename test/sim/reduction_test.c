/*
 * The reduction (search/reduction.h) on random abstract programs: threads with locks, try-locks, locks with a
 * time-out, condition variables with a choice of who wakes up, timed waits, join, shared variables, branches
 * and loops; threads that are created, and again when they have ended; numbered things that are opened (the
 * lowest free number), handed to threads, used and closed. End states, and what every branch, try and
 * time-out saw, must be those of the search without reduction. Targets that don't tell all they should must
 * be caught by the same comparison.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
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
#define VARS (5 * THREADS + SHARED + LOCKS + NUMBERS)

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
static bool hides_pending, hides_wakes, hides_closed, joins_too_much; /* ways to be broken */

#define GO 0u
#define GIVES_UP 100u
#define WAKES 200u /* + thread */

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

static u32 thread_actions(const struct toy *t, int thread, u32 *out)
{
	u32 n = 0;
	if (!alive(t, thread))
		return 0;
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
	for (int thread = 0; thread < code->threads; thread++)
		n += thread_actions(t, thread, out + n);
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
	return n;
}

static u64 code_point(void *self, u32 fiber)
{
	const struct toy *t = self;
	return alive(t, (int)fiber)
		       ? 1 + fiber * 1000000u + (u64)t->var[PC(fiber)] * 10 + (u64)t->var[WAITS(fiber)]
		       : 0;
}

static u64 code_detail(void *self, u32 fiber)
{
	const struct toy *t = self;
	return (u64)t->var[LOCAL(fiber)] * 1000 + (u64)t->var[COUNT(fiber)];
}

static u32 code_joins(void *self, u32 fiber)
{
	const struct instruction *i = at(self, (int)fiber);
	if (joins_too_much && i->what != JOIN)
		return 1 + (fiber + 1) % (u32)code->threads;
	return i->what == JOIN ? 1 + (u32)i->a : 0;
}

static void code_pending(void *self, u32 fiber, struct footprint *out)
{
	footprint_clear(out);
	if (!hides_pending)
		touch(out, self, (int)fiber);
}

static const struct target_reduction code_reduction = {.usable = code_usable,
						       .fibers = code_fibers,
						       .point = code_point,
						       .detail = code_detail,
						       .joins = code_joins,
						       .pending = code_pending};
static const struct toy_model model = {
	.vars = VARS, .actions = code_actions, .step = code_step, .terminal = code_terminal};

/* ---- searches ---- */

static struct search_stats stats;

static enum search_end run(struct team_member *m, const struct search_options *o)
{
	struct toy t;
	struct target_ops ops;
	toy_init(&t, &model);
	ops = *t.target.ops;
	ops.footprint = code_footprint;
	ops.reduction = &code_reduction;
	t.target.ops = &ops;
	t.hooks.team = m;
	enum search_end end = toy_search(&t, o);
	stats = t.stats;
	toy_free(&t);
	return end;
}

/* Without reduction: false if it is too large. */
static bool search(const struct code *c, enum search_strategy strategy, bool reduce, u64 *sum)
{
	struct search_options o = {
		.strategy = strategy, .reduce = reduce, .walks = true, .max_states = 20000};
	code = c;
	forget_seen();
	enum search_end end = run(NULL, &o);
	*sum = seen_sum();
	assert_true(end == SEARCH_COMPLETE || (!reduce && end == SEARCH_LIMIT_STATES));
	return end == SEARCH_COMPLETE;
}

/* ---- random programs ---- */

static u64 seed;
static int below(int n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (int)((seed >> 33) % (u64)n);
}

/* Threads and numbered things. */
static struct instruction random_making(int thread, int threads)
{
	int dice = below(10), number = below(3) ? -1 : below(NUMBERS);
	if (dice < 3 && thread + 1 < threads)
		return (struct instruction){CREATE, thread + 1 + below(threads - thread - 1), 0, 0};
	if (dice < 5)
		return (struct instruction){OPEN, 0, 0, -1};
	return (struct instruction){dice < 8 ? USE : CLOSE, 0, number, -1};
}

static struct instruction random_instruction(int thread, int *held, int *count, bool small)
{
	int dice = below(100), m = below(small ? 2 : LOCKS);
	if (dice < 12)
		return (struct instruction){SET, below(SHARED), below(3), 0};
	if (dice < 20)
		return (struct instruction){INCREMENT, below(SHARED), 0, 0};
	if (dice < 34)
		return (struct instruction){BRANCH, below(SHARED), below(2), -1};
	if (dice < 62) {
		enum what what = dice < 50 ? LOCK : dice < 57 ? LOCK_TIMED : TRY;
		held[(*count)++] = m;
		return (struct instruction){what, m, 0, -1};
	}
	if (dice < 70 && *count)
		return (struct instruction){UNLOCK, held[--*count], 0, 0};
	if (dice < 83 && *count)
		return (struct instruction){dice < 78 ? WAIT : WAIT_TIMED, below(CONDS), held[below(*count)],
					    0};
	if (dice < 92)
		return (struct instruction){SIGNAL, below(CONDS), 0, 0};
	if (dice < 95)
		return (struct instruction){BROADCAST, below(CONDS), 0, 0};
	if (dice < 98 && thread)
		return (struct instruction){JOIN, below(thread), 0, 0};
	return (struct instruction){OWN, 0, 0, 0};
}

static void random_thread(struct code *c, int thread, bool loops, bool small, bool makes)
{
	int held[OPS], count = 0, n = 0, wanted = 2 + below(5);
	for (; n < wanted; n++)
		c->op[thread][n] = makes && below(3) ? random_making(thread, c->threads)
						     : random_instruction(thread, held, &count, small);
	while (count && n < OPS + 3)
		if (below(10))
			c->op[thread][n++] = (struct instruction){UNLOCK, held[--count], 0, 0};
		else
			count--;
	c->length[thread] = n;
	for (int i = 0; i < n; i++)
		if (c->op[thread][i].elsewhere < 0)
			c->op[thread][i].elsewhere = loops && below(10) < 3 ? below(i + 1)
									    : i + 1 + below(n - i);
}

static struct code random_code(u64 number)
{
	struct code c = {0};
	seed = number * 7919 + 17;
	c.threads = 2 + below(THREADS - 1);
	bool loops = number % 3 == 0, small = below(2), makes = number % 2;
	c.counts = number % 8 == 3;
	for (int thread = 0; thread < c.threads; thread++) {
		random_thread(&c, thread, loops, small, makes);
		c.dormant[thread] = makes && thread && below(2);
	}
	return c;
}

/* ---- several workers ---- */

struct shares {
	u64 states[4];
	u32 wrong, by_several;
};

static void work(struct team_member *m, void *arg)
{
	struct shares *shares = arg;
	const struct search_options o = {.strategy = SEARCH_DFS, .reduce = true};
	if (run(m, &o) != SEARCH_COMPLETE)
		__atomic_fetch_add(&shares->wrong, 1, __ATOMIC_RELAXED);
	shares->states[m->number] = stats.states;
}

static void search_together(const struct code *c, u32 workers, struct shares *shares, u64 *sum)
{
	code = c;
	forget_seen();
	memset(shares->states, 0, sizeof(shares->states));
	assert_int_equal(together_run(workers, work, shares), 0);
	assert_int_equal(shares->wrong, 0);
	u32 busy = 0;
	stats.states = 0;
	for (u32 i = 0; i < workers; i++) {
		busy += shares->states[i] > 0;
		stats.states += shares->states[i];
	}
	shares->by_several += busy > 1;
	*sum = seen_sum();
}

/* How many of the programs don't come out the same with several workers. */
static u32 compare_together(u64 first, u64 count, u32 *by_several)
{
	struct shares *shares = together_memory(sizeof(*shares));
	u32 different = 0;
	for (u64 n = first; n < first + count; n++) {
		struct code c = random_code(n);
		u64 want, got;
		if (!search(&c, SEARCH_DFS, false, &want) || stats.states < 100)
			continue;
		search_together(&c, 2 + n % 3, shares, &got);
		different += got != want;
	}
	*by_several = shares->by_several;
	munmap(shares, sizeof(*shares));
	return different;
}

/* How many of the programs don't come out the same; states: with and without. */
static u32 compare(u64 first, u64 count, u64 *full, u64 *reduced)
{
	static const enum search_strategy strategies[] = {SEARCH_DFS, SEARCH_BFS};
	u32 different = 0;
	*full = *reduced = 0;
	for (u64 n = first; n < first + count; n++) {
		struct code c = random_code(n);
		u64 want, got;
		if (!search(&c, SEARCH_DFS, false, &want))
			continue;
		*full += stats.states;
		for (u32 s = 0; s < HD_ARRAY_LEN(strategies); s++) {
			search(&c, strategies[s], true, &got);
			*reduced += strategies[s] == SEARCH_DFS ? stats.states : 0;
			different += got != want;
		}
	}
	return different;
}

static void random_programs(void **state)
{
	u64 full, reduced;
	const char *wanted = getenv("REDUCTION_PROGRAMS"); /* more of them, by hand */
	assert_int_equal(compare(1, wanted ? strtoull(wanted, NULL, 10) : 900, &full, &reduced), 0);
	assert_true(reduced < full);
}

static void random_programs_by_several(void **state)
{
	u32 by_several;
	const char *wanted = getenv("REDUCTION_PROGRAMS");
	assert_int_equal(compare_together(1, wanted ? strtoull(wanted, NULL, 10) : 700, &by_several), 0);
	assert_true(by_several > 100);
}

static void wakes_must_be_declared(void **state)
{
	u64 full, reduced;
	hides_wakes = true;
	u32 different = compare(1, 600, &full, &reduced);
	hides_wakes = false;
	assert_true(different > 0);
}

static void pending_must_be_told(void **state)
{
	u64 full, reduced;
	hides_pending = true;
	u32 different = compare(1, 600, &full, &reduced);
	hides_pending = false;
	assert_true(different > 0);
}

static void looks_at_what_is_closed_must_be_told(void **state)
{
	u64 full, reduced;
	hides_closed = true;
	u32 different = compare(1, 600, &full, &reduced);
	hides_closed = false;
	assert_true(different > 0);
}

static void who_does_not_wait_for_an_end_must_not_say_so(void **state)
{
	u64 full, reduced;
	joins_too_much = true;
	u32 different = compare(1, 600, &full, &reduced);
	joins_too_much = false;
	assert_true(different > 0);
}

/* ---- programs with known numbers ---- */

static void check_states(const struct code *c, u64 full, u64 at_most)
{
	u64 want, got;
	assert_true(search(c, SEARCH_DFS, false, &want));
	assert_int_equal(stats.states, full);
	search(c, SEARCH_DFS, true, &got);
	assert_true(want == got);
	assert_in_range(stats.states, 1, at_most);
}

static void independent_threads(void **state)
{
	struct code c = {.threads = 4, .length = {6, 6, 6, 6}};
	for (int thread = 0; thread < 4; thread++)
		for (int i = 0; i < 6; i++)
			c.op[thread][i] = (struct instruction){OWN, 0, 0, 0};
	check_states(&c, 7 * 7 * 7 * 7, 4 * 6 + 1);
}

/* Opens a thing for each of three threads, which use and close it; then waits for all. */
static void a_server(void **state)
{
	struct code c = {.threads = 4, .length = {9, 4, 4, 4}, .dormant = {false, true, true, true}};
	for (int thread = 1; thread < 4; thread++) {
		c.op[0][2 * thread - 2] = (struct instruction){OPEN, 0, 0, 8};
		c.op[0][2 * thread - 1] = (struct instruction){CREATE, thread, 0, 0};
		c.op[0][5 + thread] = (struct instruction){JOIN, thread, 0, 0};
		for (int i = 0; i < 3; i++)
			c.op[thread][i] = (struct instruction){USE, 0, -1, 3};
		c.op[thread][3] = (struct instruction){CLOSE, 0, -1, 0};
	}
	check_states(&c, 404, 80);
}

/* Two threads that go round in circles on their own must not keep the third from its end. */
static void circles_ignore_nobody(void **state)
{
	struct code c = {.threads = 3, .length = {2, 2, 2}};
	for (int thread = 0; thread < 2; thread++) {
		c.op[thread][0] = (struct instruction){BRANCH, thread, 0, 0};
		c.op[thread][1] = (struct instruction){OWN, 0, 0, 0};
	}
	c.op[2][0] = (struct instruction){BRANCH, 2, 0, 1};
	c.op[2][1] = (struct instruction){OWN, 0, 0, 0};
	u64 want, got;
	assert_true(search(&c, SEARCH_DFS, false, &want));
	search(&c, SEARCH_DFS, true, &got);
	assert_true(want == got);
	search(&c, SEARCH_BFS, true, &got);
	assert_true(want == got);
}

static enum step_result cannot_go_on(void *self, u32 action)
{
	(void)self;
	(void)action;
	return STEP_STOP;
}

/* The walks before the search come to an end of everything: the initial state was seen all the same. */
static void a_stop_before_the_search_is_a_result(void **state)
{
	const struct code c = {.threads = 1, .length = {1}, .op = {{{OWN, 0, 0, 0}}}};
	struct toy t;
	struct search_options o = {.strategy = SEARCH_DFS, .reduce = true, .walks = true};
	code = &c;
	toy_init(&t, &model);
	struct target_ops ops = *t.target.ops;
	ops.footprint = code_footprint;
	ops.reduction = &code_reduction;
	ops.step = cannot_go_on;
	t.target.ops = &ops;
	assert_int_equal(toy_search(&t, &o), SEARCH_STOPPED);
	assert_int_equal(t.stats.states, 1);
	toy_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_programs),
		cmocka_unit_test(random_programs_by_several),
		cmocka_unit_test(wakes_must_be_declared),
		cmocka_unit_test(pending_must_be_told),
		cmocka_unit_test(looks_at_what_is_closed_must_be_told),
		cmocka_unit_test(who_does_not_wait_for_an_end_must_not_say_so),
		cmocka_unit_test(independent_threads),
		cmocka_unit_test(a_server),
		cmocka_unit_test(circles_ignore_nobody),
		cmocka_unit_test(a_stop_before_the_search_is_a_result),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
