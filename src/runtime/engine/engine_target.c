/*
 * The SUT as a target of the search (search/target.h).
 *
 * Law of this folder: it runs on its own stack, between transitions. It may read model memory freely; what
 * it writes there becomes part of the state. Its own memory is never rolled back. It makes no libc call: fs
 * belongs to whichever fiber ran last.
 */
#include "base/text.h"
#include "runtime/engine/engine_audit.h"
#include "runtime/engine/engine_horizon.h"
#include "runtime/engine/engine_priv.h"
#include "runtime/engine/engine_properties.h"
#include "runtime/engine/replay.h"
#include "runtime/engine/terminal.h"
#include "runtime/engine/violation_key.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/order.h"
#include "runtime/memory/unseen.h"
#include "runtime/net/net.h"
#include "runtime/output/output.h"
#include "runtime/rt.h"
#include "runtime/sched/access.h"
#include "runtime/sched/fair.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/run.h"
#include "runtime/vkernel/vk_ops.h"
#include "state/fingerprint.h"
#include "state/track.h"
#include "wire/wire.h"

/* --- what can happen --- */

/* --timeouts never: a tick does not save a program that lost a wake-up. What is over
   already was asked for as a try. */
static bool is_untimed(const struct op *o)
{
	return rt_wire->config.timeouts_never && !(o->flags & OPF_SLEEP) && o->deadline > clock_now() + 1;
}

static bool timeout_allowed(const struct op *o)
{
	return !is_untimed(o) && horizon_allows(o->deadline);
}

/* Would somebody go on, were it not for the horizon? Then nobody is stuck here. */
static bool stands_at_horizon(void)
{
	u32 number[ALT_TIMERS];
	u64 deadline[ALT_TIMERS];
	for (u32 i = 0; horizon_was_hit() && i < sched_fiber_limit(); i++) {
		const struct op *o = &model->fiber[i].op;
		if (model->fiber[i].life == FIBER_ALIVE && o->deadline && !is_untimed(o) &&
		    !horizon_allows(o->deadline))
			return true;
	}
	u32 timers = horizon_was_hit() ? vk_timers_ready(true, number, deadline) : 0;
	for (u32 i = 0; i < timers; i++)
		if (!horizon_allows(deadline[i]))
			return true;
	return false;
}

/* Who waits for something that may never come must be able to have begun: vk.c, "Late lookups". */
static u32 moved_actions(u32 slot, const struct op *o, bool waits, u32 *out)
{
	u32 n = 0;
	if (!vk_watch_changed(o->watch))
		return 0;
	out[n++] = ACTION(slot, ALT_FD_CHANGED);
	if (waits && !o->deadline)
		out[n++] = ACTION(slot, ALT_FD_KEPT);
	return n;
}

/* See vkernel/process/signals.h. */
static u32 signal_actions(u32 slot, const struct fiber *f, bool waits, u32 *out)
{
	const struct op *o = &f->op;
	bool restarts;
	u32 n = 0;
	if (f->atomic || !vk_signal_ready(slot, &restarts))
		return 0;
	if (!(o->flags & OPF_INSIDE))
		out[n++] = ACTION(slot, ALT_SIGNAL);
	bool goes_on = restarts && (o->flags & OPF_RESTART) && !(o->flags & OPF_INSIDE);
	if (waits && (o->flags & OPF_EINTR) && !goes_on)
		out[n++] = ACTION(slot, ALT_EINTR);
	return n;
}

/* Timers expire beside what the first fiber could do; but not in the middle of an atomic section. */
static u32 timer_actions(bool nothing_else, u32 *out)
{
	u32 number[ALT_TIMERS], host = LAYOUT_MAX_FIBERS, n = 0;
	u64 deadline[ALT_TIMERS];
	u32 ready = vk_timers_ready(nothing_else, number, deadline);
	for (u32 slot = sched_fiber_limit(); ready && slot-- > 0;) {
		const struct fiber *f = &model->fiber[slot];
		if (f->life == FIBER_ALIVE && f->atomic)
			return 0;
		if (f->life == FIBER_ALIVE)
			host = slot;
	}
	for (u32 i = 0; i < ready && host != LAYOUT_MAX_FIBERS; i++)
		if (horizon_allows(deadline[i]))
			out[n++] = ACTION(host, (nothing_else ? ALT_WATCHDOG : ALT_TIMER) + number[i]);
	return n;
}

/* Nobody can go on: then time passes, and peers that wait with a time-out may speak. */
static u32 peer_actions(u32 *out)
{
	u32 n = 0, host = 0;
	while (host < sched_fiber_limit() && model->fiber[host].life != FIBER_ALIVE)
		host++;
	if (host == sched_fiber_limit() || engine_experiments())
		return 0;
	for (u32 p = 0; p < ALT_PEERS; p++)
		if ((p < rt_wire->config.net.clients || p == ALT_PEER_SERVERS) && vk_peer_waits(p))
			out[n++] = ACTION(host, ALT_PEER + p);
	return n;
}

/* See vkernel/sockets/sock_fault.h. */
static u32 fault_actions(u32 slot, const struct op *o, u32 *out)
{
	u32 n = op_class_of(o)->faults ? vk_faults(o) : 0;
	for (u32 i = 0; i < n; i++)
		out[i] = ACTION(slot, ALT_FAULT + i);
	return n;
}

/* The enabled actions of one fiber. */
static u32 fiber_actions(u32 slot, u32 *out)
{
	const struct fiber *f = &model->fiber[slot];
	if (f->life != FIBER_ALIVE)
		return 0;
	const struct op *o = &f->op;
	const struct op_class *c = op_classes[o->kind];
	/* Who went past the point before the request did so in an execution where it moved first. */
	bool cancelled = hd_unlikely(f->cancel_asked) && fiber_is_cancelled_at(f, o);
	if (hd_unlikely(cancelled)) {
		*out++ = ACTION(slot, ALT_CANCEL);
		if (!(o->flags & OPF_CANCEL_MAY))
			return 1;
	}
	/*
	 * The one place where the network is asked for a fiber that nobody has chosen: `outcomes` only
	 * look.
	 */
	if (hd_unlikely(c->resolve))
		c->resolve(f, o);
	u32 n = c->outcomes ? c->outcomes(f, o) : 1;
	for (u32 i = 0; i < n; i++)
		out[i] = ACTION(slot, i);
	/* Whoever can have what it waits for takes it: giving up first was possible before that. */
	bool waits = !n, give_up = waits || ((o->flags & OPF_LATE) && (!c->late || c->late(f, o)));
	/* A request is seen where it begins to wait, and at once where it does: before the time is up. */
	if (hd_unlikely(o->deadline) && give_up && !cancelled && timeout_allowed(o))
		out[n++] = ACTION(slot, ALT_TIMEOUT);
	if (hd_unlikely(o->watch))
		n += moved_actions(slot, o, waits, out + n);
	if (hd_unlikely(o->flags & OPF_SPURIOUS) && rt_wire->config.spurious)
		out[n++] = ACTION(slot, ALT_SPURIOUS);
	if (hd_unlikely(rt_lessons.signals_used || (o->flags & OPF_INSIDE)))
		n += signal_actions(slot, f, give_up, out + n);
	if (hd_unlikely(rt_wire->config.net.faults) && !f->atomic)
		n += fault_actions(slot, o, out + n);
	return n + cancelled;
}

static u32 all_actions(u32 *out)
{
	u32 n = 0, limit = sched_fiber_limit();
	for (u32 slot = 0; slot < limit; slot++) {
		u32 mine = fiber_actions(slot, out + n);
		if (hd_unlikely(mine && model->fiber[slot].atomic)) {
			for (u32 i = 0; i < mine; i++)
				out[i] = out[n + i];
			return mine;
		}
		n += mine;
	}
	return n;
}

/* Nobody may rely on spurious wake-ups: a state that only they lead out of is an end. */
static u32 without_spurious_only(u32 n, const u32 *out)
{
	for (u32 i = 0; i < n; i++)
		if (ACTION_ALT(out[i]) != ALT_SPURIOUS)
			return n;
	return 0;
}

static bool are_faults_only(u32 n, const u32 *out)
{
	for (u32 i = 0; i < n; i++)
		if (!ALT_IS_FAULT(ACTION_ALT(out[i])))
			return false;
	return n != 0;
}

/* Is this state a violation, if the network works? Then a fault that could end the wait is no excuse. */
static bool stuck_without_fault(void)
{
	char buf[VIOLATION_MESSAGE];
	u32 slot;
	size_t len;
	return rt_wire->config.check_deadlock && !stands_at_horizon() &&
	       terminal_judge(&slot, buf, sizeof(buf), &len) != VIOLATION_NONE;
}

u32 engine_actions(void *t, u32 *out)
{
	(void)t;
	if (model->exited)
		return 0;
	u32 n = all_actions(out);
	if (hd_unlikely(rt_lessons.signals_used))
		n += timer_actions(false, out + n);
	if (hd_unlikely(rt_wire->config.spurious))
		n = without_spurious_only(n, out);
	bool faults_only = hd_unlikely(rt_wire->config.net.faults) && are_faults_only(n, out);
	if (hd_unlikely((!n || faults_only) && rt_lessons.signals_used)) {
		u32 timers = timer_actions(true, out + n);
		n += timers;
		faults_only &= !timers;
	}
	if (hd_unlikely(faults_only) && stuck_without_fault())
		return 0;
	if (hd_unlikely(!n && (rt_wire->config.net.clients || net_servers_are_joint())))
		n = peer_actions(out);
	return n;
}

/* --- a step --- */

/* The access that the fiber stands before now may race with one that another stands before. */
static bool found_race(u32 slot)
{
	if (!rt_wire->config.races)
		return false;
	char buf[VIOLATION_MESSAGE];
	struct text t;
	text_init(&t, buf, sizeof(buf));
	struct memory_race race;
	if (!memory_race(slot, &race, &t))
		return false;
	struct wire_regs regs;
	fiber_regs(&model->fiber[slot], &regs);
	violation_set(VIOLATION_RACE, slot, model->fiber[slot].op.arg2, race.address, 0, buf);
	violation_set_other(race.other, race.other_pc);
	if (rt_worker->task.mode == WIRE_REPLAY)
		replay_violation(violation_last(), &regs);
	return true;
}

enum run_end engine_run(u32 slot, u32 alt)
{
	struct track_stack dead;
	bool far = fair_is_far(&model->fiber[slot]);
	output_reset();
	memory_step_begins();
	u64 stood = hd_unlikely(ALT_IS_TIMER(alt)) ? engine_stack_hash(slot) : 0;
	enum run_end end = run_fiber(slot, alt);
	/* Such a step is none of the fiber's: if it does not stand where it stood, others must know. */
	if (hd_unlikely(stood) && end == RUN_STEP && engine_stack_hash(slot) != stood)
		access_declare(thread_object(slot), 1, ACCESS_WRITE);
	order_step_ends(slot);
	if (!memory_step_ends(slot, alt))
		end = run_limit("more than 524288 places in memory that several threads use without a common "
				"lock");
	unseen_look();
	engine_say_all();
	track_commit(run_dead_stack(&dead) ? &dead : NULL);
	if (hd_unlikely(far) && end == RUN_STEP && !track_full() && fair_is_far(&model->fiber[slot]))
		engine_forget_rounds(&model->fiber[slot]);
	net_step_ended();
	return end;
}

/* Paths that are executed again, as the sanity checks do, must mean the same as before. */
static bool restart_is_due(void)
{
	return rt_wire->config.search.sanity >= 2 ? run_wants_restart() : run_must_restart();
}

static bool target_stale(void *t)
{
	(void)t;
	net_look_at_idle();
	return run_wants_restart() ||
	       (hd_unlikely(engine_names_given) && rt_wire->learnt.names + 1 != engine_names_given);
}

enum step_result engine_step(void *t, u32 action)
{
	(void)t;
	if (hd_unlikely(net_stopped()))
		return STEP_STOP;
	bool look = properties_on() && rt_worker->task.mode != WIRE_REPLAY; /* replay.c looks itself */
	if (look)
		properties_step_begins();
	enum run_end end = engine_run(ACTION_FIBER(action), ACTION_ALT(action));
	if (hd_unlikely(track_full()))
		return STEP_NO_MEMORY;
	switch (end) {
	case RUN_VIOLATION:
		/* The same step has taught that there are more of them: a path to it would be an old one. */
		if (run_wants_restart())
			return STEP_RESTART;
		if (rt_worker->task.mode != WIRE_REPLAY) /* else it was told where it happened */
			violation_take(run_failure());
		net_abort_if_never_connected();
		return net_stopped() ? STEP_STOP : STEP_VIOLATION;
	case RUN_STOPPED:
		return STEP_STOP;
	case RUN_PRUNED: /* perhaps because it can't go on without what it has just learnt */
		return run_wants_restart() ? STEP_RESTART : STEP_PRUNED;
	case RUN_STEP:
		break;
	}
	if (hd_unlikely(memory_on()) && found_race(ACTION_FIBER(action)))
		return run_wants_restart() ? STEP_RESTART : STEP_VIOLATION;
	enum step_result seen = look ? properties_step_ends(ACTION_FIBER(action)) : STEP_OK;
	if (hd_unlikely(seen != STEP_OK))
		return run_wants_restart() ? STEP_RESTART : seen;
	return restart_is_due() ? STEP_RESTART : STEP_OK;
}

/* --- ends --- */

#define RUST_PANIC_STATUS 101

/* "srv.rs:26:5: assertion failed …", without the backtrace that may follow. */
static enum terminal_kind end_of_panic(void)
{
	static const char backtrace[] = "stack backtrace:", note_of[] = "note: run with";
	char buf[sizeof(model->panic) + 64];
	struct text text;
	text_init(&text, buf, sizeof(buf));
	text_str(&text, "the program ");
	const char *p = model->panic;
	for (; *p && !str_starts(p, backtrace) && !str_starts(p, note_of); p++)
		text_bytes(&text, p, 1);
	while (text.len && buf[text.len - 1] == ' ')
		buf[--text.len] = 0;
	violation_set(VIOLATION_ASSERT, 0, 0, 0, 0, buf);
	return TERMINAL_VIOLATION;
}

static enum terminal_kind end_of_process(void)
{
	if (model->exit_status == RUST_PANIC_STATUS && model->panic[0])
		return end_of_panic();
	terminal_ended();
	rt_worker->result.ended_well |= !model->exit_status;
	if (model->exit_status && !rt_worker->result.exit_status)
		rt_worker->result.exit_status = model->exit_status;
	if (!rt_wire->config.check_exit || !model->exit_status)
		return TERMINAL_END;
	char buf[64];
	struct text text;
	text_init(&text, buf, sizeof(buf));
	text_str(&text, "the program ends with exit status ");
	text_dec(&text, (long)model->exit_status);
	violation_set(VIOLATION_EXIT_STATUS, 0, model->exit_status, 0, 0, buf);
	return TERMINAL_VIOLATION;
}

static enum terminal_kind judge_terminal(void)
{
	net_abort_if_never_connected();
	if (net_stopped() || run_wants_restart())
		return TERMINAL_END;
	if (model->exited)
		return end_of_process();
	terminal_ended();
	rt_worker->result.ended_well = 1;
	if (!rt_wire->config.check_deadlock || stands_at_horizon())
		return TERMINAL_END;
	char buf[VIOLATION_MESSAGE];
	u32 slot;
	size_t own_len;
	enum violation_kind kind = terminal_judge(&slot, buf, sizeof(buf), &own_len);
	if (kind == VIOLATION_NONE || net_stopped() || run_wants_restart())
		return TERMINAL_END;
	struct wire_regs regs;
	fiber_regs(&model->fiber[slot], &regs);
	violation_set(kind, slot, regs.rip, 0, 0, buf);
	violation_last()->key = violation_key_end(kind, buf, own_len);
	return TERMINAL_VIOLATION;
}

enum terminal_kind engine_terminal(void *t)
{
	(void)t;
	enum terminal_kind kind = judge_terminal();
	if (kind == TERMINAL_END && rt_wire->config.net.samples && rt_worker->task.mode == WIRE_SEARCH)
		engine_keep_sample();
	return kind;
}

void engine_livelock(void *t)
{
	(void)t;
	char buf[VIOLATION_MESSAGE];
	u32 first = fiber_describe_all("livelock: nobody can ever leave this loop: ", buf, sizeof(buf));
	struct wire_regs regs;
	fiber_regs(&model->fiber[first], &regs);
	violation_set(VIOLATION_LIVELOCK, first, regs.rip, 0, 0, buf);
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
	run_restarted();
	memory_restarted();
	engine_load_lessons();
	horizon_restarted();
	terminal_restarted();
	rt_worker->result.violations = 0;
	rt_worker->result.samples = 0;
	rt_worker->result.ends = 0;
	rt_worker->result.outcomes = 0;
	rt_worker->result.yields_cut = rt_worker->result.yields_merged = 0;
	rt_worker->result.subsets_cut = 0;
	rt_worker->result.retries_cut = 0;
	rt_worker->result.faults_cut = 0;
	rt_worker->result.exit_status = rt_worker->result.ended_well = rt_worker->result.slept = 0;
}

static u64 target_violation_key(void *t)
{
	(void)t;
	return violation_last()->key;
}

static bool target_doubtful(void *t)
{
	(void)t;
	return model->refused != 0;
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
	const struct fiber *f = &model->fiber[ACTION_FIBER(action)];
	const struct op_class *c = op_class_of(&f->op);
	u32 alt = ACTION_ALT(action);
	return !ALT_IS_FAULT(alt) && !ALT_IS_PEER(alt) &&
	       (c->busy || (c->in_vain && c->in_vain(f, &f->op, alt)));
}

static bool target_looks(void *t, u32 action)
{
	(void)t;
	return op_class_of(&model->fiber[ACTION_FIBER(action)].op)->looks && !ACTION_ALT(action);
}

static bool target_in_vain(void *t, const struct target_loop *loop)
{
	(void)t;
	return !horizon_was_hit() && terminal_in_vain(loop);
}

static bool target_idles(void *t)
{
	(void)t;
	/* Behind the horizon something may lead out of the loop. */
	return horizon_was_hit() || (!rt_wire->config.strict_idle && terminal_idles());
}

static bool target_would_idle(void *t)
{
	(void)t;
	return horizon_was_hit() || (!rt_wire->config.strict_idle && terminal_would_idle());
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

const struct target_ops engine_ops = {
	.actions = engine_actions,
	.step = engine_step,
	.terminal = engine_terminal,
	.fingerprint = target_fingerprint,
	.full_fingerprint = target_full,
	.mark = target_mark_now,
	.undo = target_undo,
	.delta_size = target_delta_size,
	.delta_save = target_delta_save,
	.delta_apply = target_delta_apply,
	.restart = target_restart,
	.stale = target_stale,
	.violation_key = target_violation_key,
	.doubtful = target_doubtful,
	.action_fiber = target_action_fiber,
	.busy = target_busy,
	.can_livelock = target_can_livelock,
	.looks = target_looks,
	.in_vain = target_in_vain,
	.livelock = engine_livelock,
	.idles = target_idles,
	.would_idle = target_would_idle,
	.footprint = target_footprint,
	.label = engine_label,
	.reduction = &engine_reduction,
	.audit = &engine_audit,
	.team = &engine_team,
	.memory = target_memory,
	.work = engine_work,
};
