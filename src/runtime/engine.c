/*
 * The engine: the SUT as a target of the search.
 *
 * Law of this file: it runs on its own stack, between transitions. It may read model
 * memory freely; what it writes there becomes part of the state. Its own memory (E) is never
 * rolled back. It makes no libc call: fs belongs to whichever fiber ran last.
 */
#include "runtime/engine.h"

#include <sys/syscall.h>
#include <time.h>

#include "base/sys.h"
#include "base/text.h"
#include "runtime/engine_audit.h"
#include "runtime/engine_priv.h"
#include "runtime/memory/memory.h"
#include "runtime/net/net.h"
#include "runtime/notes.h"
#include "runtime/replay.h"
#include "runtime/scratch.h"
#include "runtime/sched/access.h"
#include "runtime/sched/fair.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/model.h"
#include "runtime/start/start.h"
#include "runtime/terminal.h"
#include "runtime/vkernel/vk_ops.h"
#include "search/search.h"
#include "state/fingerprint.h"
#include "state/track.h"

struct wire_shared *rt_wire;
struct wire_worker *rt_worker;

static struct {
	u64 sp; /* the engine's context while a fiber runs */
	u32 current, alt;
	bool in_fiber, restart, left, before_main;
	enum { RUN_GOING, RUN_VIOLATION, RUN_PRUNED, RUN_STOPPED } run;
	u64 steps;
	struct wire_violation violation;
} E = {.before_main = true};

u32 engine_current(void)
{
	return E.current;
}

bool engine_in_fiber(void)
{
	return E.in_fiber;
}

u64 engine_steps(void)
{
	return E.steps;
}

bool engine_before_main(void)
{
	return E.before_main;
}

void engine_main_starts(void)
{
	E.before_main = false;
}

void engine_want_restart(void)
{
	if (rt_worker->task.mode == WIRE_SEARCH)
		E.restart = true;
}

/* --- fibers and back --- */

static void run_fiber(u32 slot, u32 alt)
{
	struct fiber *f = &M->fiber[slot];
	access_step_begins(slot);
	sched_declare_step(f, alt);
	E.current = slot;
	E.alt = alt;
	E.run = RUN_GOING;
	E.left = false;
	E.steps++;
	start_output_reset();
	scratch_reset();
	fair_moves(slot);
	fiber_set_fs(f->tcb);
	E.in_fiber = true;
	context_switch(&E.sp, f->sp);
	E.in_fiber = false;
}

u32 engine_yield(void)
{
	context_switch(&M->fiber[E.current].sp, E.sp);
	return E.alt;
}

void engine_leave(void)
{
	E.left = true;
	context_resume(E.sp);
}

void engine_abandon(enum engine_abandon_why why)
{
	E.run = why == ABANDON_VIOLATION ? RUN_VIOLATION : why == ABANDON_STOP ? RUN_STOPPED : RUN_PRUNED;
	context_resume(E.sp);
}

static void commit(void)
{
	struct track_stack dead;
	if (E.run == RUN_GOING && fiber_dead_stack(E.current, E.left, &dead))
		track_commit(&dead);
	else
		track_commit(NULL);
}

/* --- violations --- */

static void set_violation(enum violation_kind kind, u32 slot, u64 pc, u64 address, u32 signo,
			  const char *message)
{
	struct wire_violation *v = &E.violation;
	v->kind = kind;
	v->thread = slot;
	v->pc = pc;
	v->address = address;
	v->signo = signo;
	str_copy(v->message, sizeof v->message, message);
	bool by_text = violation_traits(kind)->keyed_by_text;
	u64 key[3] = {kind, by_text ? 0 : pc, by_text ? XXH3_64bits(v->message, str_len(v->message)) : 0};
	v->key = XXH3_64bits(key, sizeof key);
}

void engine_violation(enum violation_kind kind, u64 pc, u64 address, u32 signo, const struct wire_regs *regs,
		      const char *message)
{
	char explained[sizeof E.violation.message];
	struct text t;
	text_init(&t, explained, sizeof explained);
	text_str(&t, message);
	if (kind == VIOLATION_ABORT && *start_output_tail()) {
		text_str(&t, ": ");
		text_str(&t, start_output_tail());
	}
	set_violation(kind, E.current, pc, address, signo, explained);
	if (rt_worker->task.mode == WIRE_REPLAY)
		replay_violation(&E.violation, regs);
	engine_abandon(ABANDON_VIOLATION);
}

/* --- target interface --- */

static bool timeout_allowed(const struct op *o)
{
	if (!o->deadline)
		return false;
	u64 horizon = rt_wire->config.time_horizon_ms * 1000000;
	if (!horizon || o->deadline <= horizon)
		return true;
	rt_worker->result.horizon_hit = 1;
	return false;
}

/* Who waits for something that may never come must be able to have begun: vk.c, "Late lookups". */
static u32 moved_actions(u32 slot, const struct op *o, bool waits, u32 *out)
{
	u32 n = 0;
	if (!vk_watch_moved(o->watch))
		return 0;
	out[n++] = ACTION(slot, ALT_MOVED);
	if (waits && !o->deadline)
		out[n++] = ACTION(slot, ALT_STAYS);
	return n;
}

/* The enabled actions of one fiber. */
static u32 fiber_actions(u32 slot, u32 *out)
{
	const struct fiber *f = &M->fiber[slot];
	if (f->life != FIBER_ALIVE)
		return 0;
	const struct op *o = &f->op;
	const struct op_class *c = op_classes[o->kind];
	/* The one place where the network is asked for a fiber that nobody has chosen: `outcomes` only look. */
	if (hd_unlikely(c->resolve))
		c->resolve(f, o);
	u32 n = c->outcomes ? c->outcomes(f, o) : 1;
	for (u32 i = 0; i < n; i++)
		out[i] = ACTION(slot, i);
	/* Whoever can have what it waits for takes it: giving up first was possible before that. */
	bool waits = !n, give_up = waits || (o->flags & OPF_LATE);
	if (hd_unlikely(o->deadline) && give_up && timeout_allowed(o))
		out[n++] = ACTION(slot, ALT_TIMEOUT);
	if (hd_unlikely(o->watch))
		n += moved_actions(slot, o, waits, out + n);
	if (hd_unlikely(o->flags & OPF_SPURIOUS) && rt_wire->config.spurious)
		out[n++] = ACTION(slot, ALT_SPURIOUS);
	if (hd_unlikely(f->cancel_asked) && (o->flags & OPF_CANCEL) && !f->cancel_off)
		out[n++] = ACTION(slot, ALT_CANCEL);
	return n;
}

/* Fibers that wait for fairness' sake are left out, unless there is nobody else; *waiting: there is such a one. */
static u32 fair_actions(u32 *out, bool nobody_else, bool *waiting)
{
	u32 n = 0, limit = sched_fiber_limit();
	for (u32 slot = 0; slot < limit; slot++) {
		if (hd_unlikely(fair_waits(&M->fiber[slot])) && !nobody_else) {
			*waiting = true;
			continue;
		}
		u32 mine = fiber_actions(slot, out + n);
		if (hd_unlikely(mine && M->fiber[slot].atomic)) {
			for (u32 i = 0; i < mine; i++)
				out[i] = out[n + i];
			return mine;
		}
		n += mine;
	}
	return n;
}

u32 engine_actions(u32 *out)
{
	if (M->exited)
		return 0;
	bool waiting = false;
	u32 n = fair_actions(out, rt_worker->task.mode == WIRE_REPLAY, &waiting);
	if (hd_likely(!waiting))
		return n;
	if (!n)
		return fair_actions(out, true, &waiting);
	rt_worker->result.yields_cut = 1;
	return n;
}

static u32 target_actions(void *t, u32 *out)
{
	(void)t;
	return engine_actions(out);
}

/* The access that the fiber stands before now may race with one that another stands before. */
static bool found_race(u32 slot)
{
	if (!rt_wire->config.races)
		return false;
	char buf[sizeof E.violation.message];
	struct text t;
	text_init(&t, buf, sizeof buf);
	u32 other = memory_race(slot, &t);
	if (other == LAYOUT_MAX_FIBERS)
		return false;
	struct wire_regs regs;
	fiber_regs(&M->fiber[slot], &regs);
	const struct op *a = &M->fiber[slot].op, *b = &M->fiber[other].op;
	set_violation(VIOLATION_RACE, slot, a->arg2, HD_MAX(a->object, b->object), 0, buf);
	E.violation.other_thread = other;
	E.violation.other_pc = b->arg2;
	if (rt_worker->task.mode == WIRE_REPLAY)
		replay_violation(&E.violation, &regs);
	return true;
}

enum step_result engine_step(u32 action)
{
	if (hd_unlikely(net_stopped()))
		return STEP_STOP;
	run_fiber(ACTION_FIBER(action), ACTION_ALT(action));
	commit();
	if (hd_unlikely(track_full()))
		return STEP_NO_MEMORY;
	switch (E.run) {
	case RUN_VIOLATION:
		net_abort_if_never_connected();
		return net_stopped() ? STEP_STOP : STEP_VIOLATION;
	case RUN_STOPPED:
		return STEP_STOP;
	case RUN_PRUNED:
		return STEP_PRUNED;
	case RUN_GOING:
		break;
	}
	if (hd_unlikely(memory_on()) && found_race(ACTION_FIBER(action)))
		return STEP_VIOLATION;
	return E.restart ? STEP_RESTART : STEP_OK;
}

static enum step_result target_step(void *t, u32 action)
{
	(void)t;
	return engine_step(action);
}

#define RUST_PANIC_STATUS 101

/* "srv.rs:26:5: assertion failed …", without the backtrace that may follow. */
static enum terminal_kind end_of_panic(void)
{
	static const char backtrace[] = "stack backtrace:", note_of[] = "note: run with";
	char buf[sizeof M->panic + 64];
	struct text text;
	text_init(&text, buf, sizeof buf);
	text_str(&text, "the program ");
	const char *p = M->panic;
	for (; *p && !str_starts(p, backtrace) && !str_starts(p, note_of); p++)
		text_bytes(&text, p, 1);
	while (text.len && buf[text.len - 1] == ' ')
		buf[--text.len] = 0;
	set_violation(VIOLATION_ASSERT, 0, 0, 0, 0, buf);
	return TERMINAL_VIOLATION;
}

static enum terminal_kind end_of_process(void)
{
	if (M->exit_status == RUST_PANIC_STATUS && M->panic[0])
		return end_of_panic();
	if (M->exit_status && !rt_worker->result.exit_status)
		rt_worker->result.exit_status = M->exit_status;
	if (!rt_wire->config.check_exit || !M->exit_status)
		return TERMINAL_END;
	char buf[64];
	struct text text;
	text_init(&text, buf, sizeof buf);
	text_str(&text, "the program ends with exit status ");
	text_dec(&text, (long)M->exit_status);
	set_violation(VIOLATION_EXIT_STATUS, 0, M->exit_status, 0, 0, buf);
	return TERMINAL_VIOLATION;
}

enum terminal_kind engine_terminal(void)
{
	net_abort_if_never_connected();
	if (net_stopped())
		return TERMINAL_END;
	if (M->exited)
		return end_of_process();
	if (!rt_wire->config.check_deadlock)
		return TERMINAL_END;
	char buf[sizeof E.violation.message];
	u32 slot;
	size_t own_len;
	enum violation_kind kind = terminal_judge(&slot, buf, sizeof buf, &own_len);
	if (kind == VIOLATION_NONE || net_stopped())
		return TERMINAL_END;
	struct wire_regs regs;
	fiber_regs(&M->fiber[slot], &regs);
	set_violation(kind, slot, regs.rip, 0, 0, buf);
	E.violation.key = XXH3_64bits(buf, own_len);
	return TERMINAL_VIOLATION;
}

void engine_livelock(void)
{
	char buf[sizeof E.violation.message];
	u32 first = fiber_describe_all("livelock: nobody can ever leave this loop: ", buf, sizeof buf);
	struct wire_regs regs;
	fiber_regs(&M->fiber[first], &regs);
	set_violation(VIOLATION_LIVELOCK, first, regs.rip, 0, 0, buf);
}

const struct wire_violation *engine_last_violation(void)
{
	return &E.violation;
}

static enum terminal_kind target_terminal(void *t)
{
	(void)t;
	return engine_terminal();
}

static struct fingerprint target_fingerprint(void *t)
{
	(void)t;
	return track_fingerprint();
}

static struct fingerprint target_full(void *t)
{
	(void)t;
	return track_full_fingerprint();
}

static target_mark target_mark_now(void *t)
{
	(void)t;
	return track_mark();
}

static void target_undo(void *t, target_mark to)
{
	(void)t;
	if (hd_unlikely(rt_wire->config.search.sanity >= 3 && !to))
		track_remember(); /* perhaps the path is executed again: then it must lead back here */
	track_undo(to);
	net_backtracked();
}

static size_t target_delta_size(void *t, target_mark from)
{
	(void)t;
	return track_delta_size(from);
}

static void target_delta_save(void *t, target_mark from, void *out)
{
	(void)t;
	track_delta_save(from, out);
}

static void target_delta_apply(void *t, const void *blob)
{
	(void)t;
	int ret = track_delta_apply(blob);
	hd_assert(!ret); /* it was saved here, so all its pages are known */
	net_backtracked();
}

static void target_restart(void *t)
{
	(void)t;
	E.restart = false;
	rt_worker->result.violations = 0;
	rt_worker->result.outcomes = 0;
	rt_worker->result.horizon_hit = 0;
	rt_worker->result.yields_cut = 0;
	rt_worker->result.exit_status = 0;
}

static u64 target_violation_key(void *t)
{
	(void)t;
	return E.violation.key;
}

static u32 target_action_fiber(void *t, u32 action)
{
	(void)t;
	return ACTION_FIBER(action);
}

static bool target_can_livelock(void *t)
{
	(void)t;
	return sched_busy_seen();
}

static bool target_busy(void *t, u32 action)
{
	(void)t;
	return op_class_of(&M->fiber[ACTION_FIBER(action)].op)->busy;
}

static void target_livelock(void *t)
{
	(void)t;
	engine_livelock();
}

static u64 target_memory(void *t)
{
	(void)t;
	return track_memory();
}

static const struct footprint *target_footprint(void *t)
{
	(void)t;
	return access_footprint();
}

static const struct target_ops engine_ops = {
	.actions = target_actions,
	.step = target_step,
	.terminal = target_terminal,
	.fingerprint = target_fingerprint,
	.full_fingerprint = target_full,
	.mark = target_mark_now,
	.undo = target_undo,
	.delta_size = target_delta_size,
	.delta_save = target_delta_save,
	.delta_apply = target_delta_apply,
	.restart = target_restart,
	.violation_key = target_violation_key,
	.action_fiber = target_action_fiber,
	.busy = target_busy,
	.can_livelock = target_can_livelock,
	.livelock = target_livelock,
	.footprint = target_footprint,
	.audit = &engine_audit,
	.memory = target_memory,
};

/* --- hooks of the search --- */

static void hook_violation(void *self, const u32 *path, u64 len)
{
	(void)self;
	struct wire_result *r = &rt_worker->result;
	if (r->violations == WIRE_MAX_VIOLATIONS)
		return;
	u64 at = WIRE_ARENA + rt_worker->arena_used;
	if (at + len * sizeof *path > WIRE_WORKER_SIZE)
		hd_panic(__FILE__, __LINE__, "counterexamples too long for the shared memory");
	u32 *to = (u32 *)((char *)rt_worker + at);
	for (u64 i = 0; i < len; i++)
		to[i] = path[i];
	rt_worker->arena_used += HD_ROUND_UP(len * sizeof *path, 16);
	E.violation.path_offset = at;
	E.violation.path_len = len;
	r->violation[r->violations] = E.violation;
	r->violations++;
}

static bool hook_stop(void *self)
{
	(void)self;
	return *(volatile u32 *)&rt_wire->stop != 0;
}

static u64 clock_ns(int which)
{
	struct timespec ts = {0};
	sys_call3(SYS_clock_gettime, which, (long)&ts, 0);
	return (u64)ts.tv_sec * 1000000000u + (u64)ts.tv_nsec;
}

static u64 hook_now(void *self)
{
	(void)self;
	return clock_ns(CLOCK_MONOTONIC) / 1000000;
}

static void hook_insane(void *self, const char *what, const u32 *path, u64 len)
{
	(void)self;
	(void)path;
	struct text t;
	text_init(&t, rt_worker->result.error, sizeof rt_worker->result.error);
	text_str(&t, "sanity check failed: ");
	text_str(&t, what);
	text_str(&t, " (path of ");
	text_dec(&t, (long)len);
	text_str(&t, " steps)");
	u64 address, was, is;
	if (!track_first_difference(&address, &was, &is))
		return;
	text_str(&t, "; the word at ");
	text_hex(&t, address);
	text_str(&t, " was ");
	text_hex(&t, was);
	text_str(&t, " and is ");
	text_hex(&t, is);
}

/* --- main --- */

static void search(void)
{
	static const struct search_hooks hooks = {
		.violation = hook_violation, .stop = hook_stop, .now_ms = hook_now, .insane = hook_insane};
	struct target target = {&engine_ops, NULL};
	u64 before = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	rt_worker->phase = WIRE_RUNNING;
	rt_worker->result.end = search_run(&target, &rt_wire->config.search, &hooks, &rt_worker->stats);
	if (rt_worker->result.end == SEARCH_COMPLETE && !rt_worker->result.violations)
		net_recheck();
	if (net_stopped() && rt_worker->result.end == SEARCH_COMPLETE)
		rt_worker->result.end = SEARCH_STOPPED;
	notes_write();
	rt_worker->result.cpu_us = (clock_ns(CLOCK_PROCESS_CPUTIME_ID) - before) / 1000;
	const struct track_stats *s = track_get_stats();
	rt_worker->result.tracked_pages = s->pages;
	rt_worker->result.hot_pages = s->hot;
	rt_worker->result.page_faults = s->faults;
}

void engine_main(void)
{
	fiber_make_main();
	run_fiber(0, 0);
	if (E.run != RUN_GOING)
		start_fail("the program fails before main: ", E.violation.message, "");
	start_tracking();
	rt_worker->result.initial = track_full_fingerprint();
	if (rt_worker->task.mode == WIRE_SEARCH)
		search();
	else if (rt_worker->task.mode == WIRE_REPLAY)
		replay_run();
	rt_worker->phase = rt_worker->result.error[0] ? WIRE_FAILED : WIRE_DONE;
	sys_call3(SYS_exit_group, 0, 0, 0);
	__builtin_unreachable();
}
