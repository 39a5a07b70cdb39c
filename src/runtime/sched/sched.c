/*
 * The one place where a fiber hands control to the engine, and virtual time.
 */
#include "runtime/sched/sched.h"

#include "runtime/kstack/kstack.h"
#include "runtime/sched/op_classes.h"
#include "runtime/rt.h"
#include "runtime/sched/fair.h"
#include "runtime/sched/access.h"
#include "runtime/sched/aside.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/run.h"
#include "runtime/sched/thread.h"
#include "wire/wire.h"

void *memcpy(void *to, const void *from, size_t n);

/* A loop that waits for the clock without ever letting go must end: see clock_read. */
#define CLOCK_READS_FREE 1000
#define CLOCK_READ_STEP 1000000

struct fiber *sched_self(void)
{
	return &model->fiber[sched_self_slot()];
}

u32 sched_thread_number(const struct fiber *f)
{
	return fiber_slot(f) + 1;
}

struct fiber *sched_fiber(u32 slot)
{
	return model->fiber[slot].life ? &model->fiber[slot] : NULL;
}

bool sched_alive(u32 slot)
{
	return model->fiber[slot].life == FIBER_ALIVE;
}

HD_LEAF u32 sched_fiber_limit(void)
{
	return rt_wire->learnt.names;
}

HD_LEAF const struct op *fiber_op(const struct fiber *f)
{
	return f->suspended.kind ? &f->suspended : &f->op;
}

struct op *fiber_op_mut(struct fiber *f)
{
	access_declare(thread_wait_object(fiber_slot(f)), 1, ACCESS_WRITE);
	return f->suspended.kind ? &f->suspended : &f->op;
}

bool sched_alone(void)
{
	return fiber_live_count() <= 1;
}

struct fiber *sched_find_pending(u32 from, u32 kind, u64 object)
{
	for (u32 i = from; i < sched_fiber_limit(); i++) {
		const struct op *o = fiber_op(&model->fiber[i]);
		if (o->kind == kind && o->object == object && model->fiber[i].life)
			return &model->fiber[i];
	}
	return NULL;
}

static struct {
	u64 low, size;
} signal_stack;

static u32 outcomes(const struct fiber *f, const struct op *o)
{
	const struct op_class *c = op_class_of(o);
	if (c->resolve)
		c->resolve(f, o);
	return c->outcomes ? c->outcomes(f, o) : 1;
}

void sched_register_signal_stack(u64 low, u64 size)
{
	signal_stack.low = low;
	signal_stack.size = size;
}

bool sched_merges_alone(const struct fiber *f, const struct op *o)
{
	const struct op_class *c = op_class_of(o);
	if (hd_likely(!c->merges) || !sched_alone() || o->deadline)
		return false;
	/* Signals, timers and faults of the network could come before it. */
	if (rt_lessons.signals_used || rt_wire->config.net.faults || f->atomic || f->cancel_asked)
		return false;
	return outcomes(f, o) == 1 && c->merges(o);
}

/* … and this step is not too long already. */
static bool goes_on_alone(const struct fiber *f, const struct op *o)
{
	static u64 step, merged; /* of the present transition */
	if (op_class_of(o)->merges)
		access_declare(thread_alone_object(sched_self_slot()), 1, ACCESS_READ);
	if (rt_worker->task.mode == WIRE_REPLAY || !sched_merges_alone(f, o))
		return false;
	if (step != sched_steps()) {
		step = sched_steps();
		merged = 0;
	}
	return merged++ < SCHED_MERGED_MAX;
}

/* Constructors, and atomic sections, go on without asking while there is only one way. */
static HD_NOINLINE bool has_single_outcome(const struct fiber *f, const struct op *o)
{
	u64 here = kstack_entered() ? kstack_running->door : (u64)__builtin_frame_address(0);
	if (hd_unlikely(here - signal_stack.low < signal_stack.size)) {
		sched_refused("waiting in a handler of a fault", 0);
		return true;
	}
	bool quiet = f->atomic || (!sched_active() && sched_alone());
	return hd_unlikely(quiet) && !o->deadline && outcomes(f, o) == 1;
}

/*
 * A nanosecond past the moment itself: nothing wakes up on the dot, and loops that ask "is it over?" rely
 * on that.
 */
static bool clock_moved; /* ever; persistent */

static void time_passes_until(u64 deadline, bool sleeps)
{
	clock_moved = true;
	bool told = sched_kernel->time_passes(deadline, sleeps);
	if (!rt_lessons.clock_read && !rt_wire->config.time_horizon_ms && !told)
		return; /* nobody can tell: only distances to deadlines count */
	access_declare(process_object(PROCESS_CLOCK), 1, ACCESS_ADD); /* the latest wins, in any order */
	if (deadline <= model->now)
		return;
	model->now = deadline;
	rt_worker->result.clock_max = HD_MAX(rt_worker->result.clock_max, deadline);
}

static u32 act_on_cancel(const struct op *o)
{
	if (o->flags & OPF_CANCEL_SELF)
		return ALT_CANCEL;
	thread_cancel_now();
}

void sched_declare_step(const struct fiber *f, u32 alt)
{
	const struct op_class *c = op_class_of(&f->op);
	if (hd_unlikely(ALT_IS_TIMER(alt))) { /* no act of this fiber */
		sched_kernel->timer_access(ALT_TIMER_NUMBER(alt));
		return;
	}
	if (hd_unlikely(rt_lessons.signals_used || alt == ALT_EINTR))
		sched_kernel->signals_access(fiber_slot(f), alt == ALT_SIGNAL || alt == ALT_EINTR);
	if (hd_unlikely(alt == ALT_SIGNAL) && !(f->op.flags & OPF_WAITER))
		return; /* its operation stays pending */
	if (hd_unlikely(ALT_IS_PEER(alt)))
		sched_kernel->peer_access(alt - ALT_PEER);
	if (hd_unlikely(ALT_IS_FAULT(alt)))
		sched_kernel->fault_access(&f->op, alt - ALT_FAULT);
	else if (c->accesses)
		c->accesses(f, &f->op, alt);
}

/* ---- signals and timers, while an operation is pending ---- */

/*
 * Handlers run while the operation is put aside. Condition variables and barriers count who waits, handler or
 * not: such a fiber stays visible to wakers (fiber.suspended), who may have changed what it waits for when
 * the handler returns.
 */
static HD_NOINLINE u32 take_signals(u32 alt)
{
	struct fiber *f = sched_self();
	struct op kept = f->op;
	bool waiter = kept.flags & OPF_WAITER;
	if (waiter)
		f->suspended = kept;
	f->op = (struct op){0};
	bool restarts = sched_kernel->signals_take();
	f = sched_self();
	if (waiter) {
		kept = f->suspended;
		f->suspended = (struct op){0};
	}
	f->op = kept;
	if (alt == ALT_SIGNAL)
		return alt;
	if (!restarts || !(kept.flags & OPF_RESTART))
		return ALT_EINTR;
	return kept.flags & OPF_INSIDE ? ALT_RESTART : ALT_SIGNAL;
}

static bool is_aside(u32 alt)
{
	return alt == ALT_SIGNAL || alt == ALT_EINTR || ALT_IS_TIMER(alt) || ALT_IS_FAULT(alt) ||
	       ALT_IS_PEER(alt);
}

/* What is no outcome of the pending operation is done, while that stays pending; unless signals end it. */
static HD_NOINLINE u32 do_aside(u32 alt)
{
	if (ALT_IS_TIMER(alt))
		time_passes_until(sched_kernel->timer_expires(ALT_TIMER_NUMBER(alt)), false);
	else if (ALT_IS_FAULT(alt))
		sched_kernel->fault_happens(&sched_self()->op, alt - ALT_FAULT);
	else if (ALT_IS_PEER(alt))
		sched_kernel->peer_acts(alt - ALT_PEER);
	else
		alt = take_signals(alt);
	return alt;
}

/*
 * Until the engine has chosen an outcome of the pending operation. Who goes on waiting does so at the same
 * place in this function: the kernel stack does not tell what was done aside.
 */
static inline __attribute__((always_inline)) u32 settle(bool chosen)
{
	u32 alt;
	do {
		alt = hd_unlikely(chosen) ? run_outcome() : run_yield();
		chosen = false;
		if (hd_likely(!is_aside(alt)))
			return alt;
		alt = do_aside(alt);
	} while (is_aside(alt) && alt != ALT_EINTR);
	return alt;
}

DOOR_INSIDE(void, sched_begin)(void)
{
	settle(true);
	sched_self()->op = (struct op){0};
}

const struct op_class op_goes_on = {.name = "goes on", .busy = true};

void sched_pause(u32 kind)
{
	struct op o = {.kind = kind};
	if (!has_single_outcome(sched_self(), &o)) {
		sched_self()->op = o;
		settle(false);
	}
	sched_self()->op = (struct op){0};
}

static HD_NOINLINE void check_nesting(const struct op *o)
{
	if (o->flags & (OPF_WAITER | OPF_INSIDE))
		sched_refused("a wait inside a handler that interrupted a wait", 0);
}

bool sched_busy_seen(void)
{
	return rt_lessons.busy;
}

static HD_NOINLINE void note_busy(void)
{
	RT_LEARN(busy);
	sched_want_restart(); /* from now on the search watches for livelocks */
}

static HD_LEAF HD_NOINLINE void watch_for_busy(const struct op *o)
{
	if (hd_unlikely(!rt_lessons.busy && op_class_of(o)->busy))
		note_busy();
}

void sched_tries(bool tries)
{
	if (hd_unlikely(tries && !rt_lessons.busy))
		note_busy();
}

u32 sched_step(const struct op *o)
{
	watch_for_busy(o);
	struct fiber *f = &model->fiber[sched_self_slot()];
	if (hd_unlikely(f->cancel_asked) && !(o->flags & OPF_CANCEL_MAY) && fiber_is_cancelled_at(f, o))
		return act_on_cancel(o);
	if (hd_likely(!op_class_of(o)->yields))
		fair_acts(f);
	else if (fair_yields(f))
		return 0;
	if (hd_unlikely(f->suspended.kind))
		check_nesting(o);
	f->op = *o;
	u32 alt = 0;
	if (has_single_outcome(f, o) || goes_on_alone(f, o))
		sched_declare_step(f, 0);
	else
		alt = settle(false);
	f->op = (struct op){0};
	if (hd_unlikely(rt_lessons.signals_used) && !op_class_of(o)->yields && !op_class_of(o)->memory)
		access_returns();
	if (hd_unlikely(alt == ALT_TIMEOUT))
		time_passes_until(o->deadline, o->flags & OPF_SLEEP);
	if (hd_unlikely(alt == ALT_CANCEL))
		return act_on_cancel(o);
	return alt;
}

/* --- time --- */

HD_LEAF u64 clock_now(void)
{
	return model->now;
}

u64 clock_read(void)
{
	static u64 step, reads; /* of the present transition */
	if (!rt_lessons.clock_read) {
		RT_LEARN(clock_read);
		sched_want_restart();
	}
	if (step != sched_steps()) {
		step = sched_steps();
		reads = 0;
	}
	bool pushes = ++reads > CLOCK_READS_FREE;
	access_declare(process_object(PROCESS_CLOCK), 1, pushes ? ACCESS_WRITE : ACCESS_READ);
	if (pushes)
		model->now += CLOCK_READ_STEP;
	return model->now;
}

void clock_seen_in_file(void)
{
	if (rt_lessons.clock_read || !clock_moved)
		return;
	RT_LEARN(clock_read);
	sched_want_restart();
}

u64 clock_deadline(u64 relative_ns)
{
	access_declare(process_object(PROCESS_CLOCK), 1, ACCESS_READ);
	u64 at = model->now + relative_ns;
	return at < model->now ? (u64)-1 : at + 1;
}

u64 clock_deadline_at(int clock_id, long sec, long nsec)
{
	long base = clock_id == 0 ? CLOCK_EPOCH_REALTIME : CLOCK_EPOCH_MONOTONIC;
	if (sec < base)
		return 1;
	if (sec - base > 1000000000L)
		sec = base + 1000000000L;
	return (u64)(sec - base) * 1000000000u + (u64)nsec + 1;
}

/* --- the end --- */

void sched_exit(int status)
{
	access_declare(thread_alone_object(sched_self_slot()), 1, ACCESS_READ);
	if (!sched_alone()) {
		struct op o = {.kind = OP_EXIT, .n = (u32)status};
		sched_step(&o);
	}
	access_declare(FOOTPRINT_END, 1, ACCESS_WRITE);
	model->exited = 1;
	model->exit_status = (u32)status & 0xff;
	run_leave();
}

/* The registers here and now, for unwinders. */
static inline __attribute__((always_inline)) void regs_here(struct wire_regs *r)
{
	__asm__ volatile(
		"movq %%rsp, %0\n\tmovq %%rbp, %1\n\tmovq %%rbx, %2\n\tmovq %%r12, %3\n\tmovq %%r13, %4\n\t"
		"movq %%r14, %5\n\tmovq %%r15, %6\n\tleaq 0f(%%rip), %%rax\n\tmovq %%rax, %7\n0:"
		: "=m"(r->rsp), "=m"(r->rbp), "=m"(r->rbx), "=m"(r->r12), "=m"(r->r13), "=m"(r->r14),
		  "=m"(r->r15), "=m"(r->rip)
		:
		: "rax", "memory");
}

__attribute__((noinline)) void sched_violation(enum violation_kind kind, u64 pc, u64 address,
					       const char *message)
{
	struct wire_regs r;
	regs_here(&r);
	sched_fail(kind, pc, address, 0, &r, message);
}

void sched_misuse(const char *what, const char *kind, u64 object, u64 pc)
{
	char buf[160];
	struct text t;
	text_init(&t, buf, sizeof(buf));
	text_fmt(&t, "%s %s ", what, kind);
	text_addr(&t, object);
	sched_violation(VIOLATION_LOCK_MISUSE, pc, object, buf);
}

/* The stack as it is now, so that the controller can find the line of the user's own code. */
static void keep_stack(struct wire_refused *w, const struct wire_regs *regs)
{
	u64 top = fiber_stack_top(sched_self_slot());
	if (regs->rsp >= top || regs->rsp < top - LAYOUT_STACK_STRIDE)
		return;
	w->regs = *regs;
	w->stack_len = HD_MIN(top - regs->rsp, (u64)sizeof(w->stack));
	memcpy(w->stack, (const void *)regs->rsp, w->stack_len);
}

static void note_refused(const char *call, u64 pc, const struct wire_regs *regs)
{
	struct wire_result *r = &rt_worker->result;
	for (u32 i = 0; i < r->refused; i++) {
		if (r->refused_call[i].pc == pc && str_equal(r->refused_call[i].call, call)) {
			r->refused_call[i].count++;
			return;
		}
	}
	if (r->refused == WIRE_MAX_REFUSED)
		return;
	struct wire_refused *w = &r->refused_call[r->refused++];
	w->pc = pc;
	w->count = 1;
	str_copy(w->call, sizeof(w->call), call);
	keep_stack(w, regs);
}

void sched_refused(const char *call, u64 pc)
{
	struct wire_regs r;
	if (!kstack_program_regs(&r))
		regs_here(&r);
	note_refused(call, pc, &r);
	access_declare(process_object(PROCESS_REFUSED), 1, ACCESS_ADD);
	model->refused = 1;
}

aside_listener *aside_heard;

static void exit_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	(void)alt;
	text_str(t, "ends the process with status ");
	text_dec(t, (long)o->n);
}

static u32 never(const struct fiber *f, const struct op *o)
{
	(void)f;
	(void)o;
	return 0;
}

static void sleep_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	text_fmt(t, "%s %lu ms", alt == OP_DESCRIBE_PENDING ? "sleeps until" : "wakes up at",
		 (o->deadline - 1) / 1000000);
}

static void exit_accesses(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)f;
	(void)o;
	(void)alt;
	access_declare(FOOTPRINT_END, 1, ACCESS_WRITE);
}

const struct op_class op_exit = {.name = "exit", .describe = exit_describe, .accesses = exit_accesses};

static void yield_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	text_fmt(t, "%s", o->object ? "pauses (a spinning loop)" : "calls sched_yield");
	(void)alt;
}

/* object of YIELD: that of a pause instruction, or 0 */
const struct op_class op_yield = {
	.name = "sched_yield",
	.describe = yield_describe,
	.busy = true,
	.yields = true,
};
const struct op_class op_sleep = {
	.name = "sleep",
	.outcomes = never,
	.describe = sleep_describe,
	.busy = true,
	.sleeps = true,
};
