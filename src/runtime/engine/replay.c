#include "runtime/engine/replay.h"

#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>

#include "base/pages.h"
#include "base/sys.h"
#include "base/text.h"
#include "runtime/engine/engine_priv.h"
#include "runtime/engine/engine_properties.h"
#include "runtime/heap/heap.h"
#include "runtime/kstack/kstack.h"
#include "runtime/rt.h"
#include "runtime/sched/aside.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/model.h"
#include "state/track.h"
#include "wire/wire.h"

static u64 step_number;
static u32 last; /* 1 + the slot of the fiber that took the last step; 0: none did, or it is under way */
static struct fingerprint *seen; /* of the states before each step */

static void futex_wait_change(u32 *word, u32 old)
{
	while (*(volatile u32 *)word == old)
		sys_call6(SYS_futex, (long)word, FUTEX_WAIT, old, 0, 0, 0);
}

/* Hand the filled event to the controller and wait until it has been read. */
static void event_send(void)
{
	u32 before = rt_worker->ack_seq;
	__atomic_add_fetch(&rt_worker->event_seq, 1, __ATOMIC_SEQ_CST);
	sys_call6(SYS_futex, (long)&rt_worker->event_seq, FUTEX_WAKE, 1, 0, 0, 0);
	futex_wait_change(&rt_worker->ack_seq, before);
}

static struct wire_event *event_new(enum wire_event_kind kind)
{
	struct wire_event *e = &rt_worker->event;
	*e = (struct wire_event){0};
	e->kind = kind;
	e->step = step_number;
	e->last = last;
	if (last && model->fiber[last - 1].life == FIBER_ALIVE)
		fiber_regs(&model->fiber[last - 1], &e->last_regs);
	return e;
}

static void event_op(struct wire_event *e, u32 slot, const struct op *o, u32 alt)
{
	const struct fiber *f = &model->fiber[slot];
	const struct op_class *c = op_class_of(o);
	e->thread = slot;
	e->alt = alt;
	e->op = o->kind;
	e->patient = c->patient;
	e->object = o->object;
	e->entry = f->entry;
	e->object2 = c->returns_to ? c->returns_to(o) : 0;
	e->bytes = c->memory ? o->n : 0;
	if (!heap_find((const void *)o->object, &e->block, &e->block_bytes))
		e->block = e->block_bytes = 0;
	str_copy(e->thread_name, sizeof(e->thread_name), f->name);
	struct text t;
	text_init(&t, e->text, sizeof(e->text));
	op_describe(f, o, alt, &t);
	e->text_len = (u32)t.len;
}

static void event_fiber(struct wire_event *e, u32 slot, u32 alt)
{
	const struct fiber *f = &model->fiber[slot];
	event_op(e, slot, &f->op, alt);
	fiber_regs(f, &e->regs);
}

/* At the end: can it go on, and if not, who could end its wait? */
static void event_wait(struct wire_event *e, const struct fiber *f)
{
	static const u8 waits[] = {
		[WAIT_ANYONE] = WIRE_WAITS_ANYONE, [WAIT_FIBER] = WIRE_WAITS_THREAD,
		[WAIT_CLIENT] = WIRE_WAITS_CLIENT, [WAIT_PEER] = WIRE_WAITS_PEER,
		[WAIT_WORLD] = WIRE_WAITS_WORLD,
	};
	const struct op_class *c = op_class_of(&f->op);
	if (!c->outcomes || c->outcomes(f, &f->op))
		return;
	struct op_wait w = c->wait ? c->wait(&f->op) : (struct op_wait){.what = WAIT_ANYONE};
	e->waits = waits[w.what];
	e->waits_thread = w.slot;
}

void replay_aside(const struct op *o, u32 alt)
{
	struct wire_event *e = event_new(WIRE_EV_ASIDE);
	event_op(e, sched_self_slot(), o, alt);
	if (!kstack_program_regs(&e->regs))
		e->regs = (struct wire_regs){0};
	event_send();
}

void replay_output(int fd, const char *data, size_t n)
{
	while (n) {
		struct wire_event *e = event_new(WIRE_EV_OUTPUT);
		size_t part = HD_MIN(n, sizeof(e->text));
		for (size_t i = 0; i < part; i++)
			e->text[i] = data[i];
		e->text_len = (u32)part;
		e->arg = (u64)fd;
		e->thread = sched_self_slot();
		event_send();
		data += part;
		n -= part;
	}
}

static void send_fibers(u32 except)
{
	for (u32 slot = 0; slot < sched_fiber_limit(); slot++) {
		if (model->fiber[slot].life != FIBER_ALIVE || slot == except)
			continue;
		struct wire_event *e = event_new(WIRE_EV_FIBER);
		event_fiber(e, slot, OP_DESCRIBE_PENDING);
		event_wait(e, &model->fiber[slot]);
		event_send();
	}
}

static void end(u64 how, const char *why)
{
	struct wire_event *e = event_new(WIRE_EV_END);
	e->arg = how;
	str_copy(e->text, sizeof(e->text), why);
	e->text_len = (u32)str_len(e->text);
	event_send();
}

void heddle_replay_pause(void)
{
	__asm__ volatile("" ::: "memory");
}

/* The first time gdb is not there yet; it attaches to a stopped process. */
static void hold(void)
{
	static bool held;

	if (held) {
		heddle_replay_pause();
		return;
	}
	held = true;
	sys_call3(SYS_kill, sys_call3(SYS_getpid, 0, 0, 0), SIGSTOP, 0);
}

static void pause_before_step(u32 action)
{
	if (!rt_worker->task.gdb || *(volatile u64 *)&rt_worker->task.pause_at != step_number)
		return;
	send_fibers(LAYOUT_MAX_FIBERS);
	event_fiber(event_new(WIRE_EV_PAUSE), ACTION_FIBER(action), ACTION_ALT(action));
	event_send();
	hold();
}

void replay_violation(const struct wire_violation *v, const struct wire_regs *regs)
{
	struct wire_event *e = event_new(WIRE_EV_VIOLATION);
	e->violation = v->kind;
	e->thread = v->thread;
	e->arg = v->address;
	e->regs = *regs;
	str_copy(e->thread_name, sizeof(e->thread_name), model->fiber[v->thread].name);
	str_copy(e->text, sizeof(e->text), v->message);
	e->text_len = (u32)str_len(e->text);
	rt_worker->result.violation[0] = *v;
	rt_worker->result.violations = 1;
	event_send();
	send_fibers(violation_traits(v->kind)->concerns_all_threads ? LAYOUT_MAX_FIBERS : v->thread);
	if (!rt_worker->task.gdb)
		return;
	end(1, "");
	hold();
}

static bool enabled(u32 action)
{
	static u32 actions[TARGET_MAX_ACTIONS];
	u32 n = engine_actions(NULL, actions);
	for (u32 i = 0; i < n; i++)
		if (actions[i] == action)
			return true;
	return false;
}

/* The path of a livelock goes to the loop, and once around: does it end where it was before? */
static bool ends_in_loop(void)
{
	if (!violation_traits(rt_worker->task.violation)->ends_in_loop)
		return false;
	struct fingerprint now = track_fingerprint();
	for (u64 i = 0; i < rt_worker->task.path_len; i++)
		if (seen[i].lo == now.lo && seen[i].hi == now.hi)
			return true;
	return false;
}

/* A violation that no fiber told of. */
static void tell_last(void)
{
	const struct wire_violation *v = violation_last();
	struct wire_regs regs = {0};
	if (model->fiber[v->thread].life == FIBER_ALIVE)
		fiber_regs(&model->fiber[v->thread], &regs);
	replay_violation(v, &regs);
	end(1, "");
}

static void end_of_path(void)
{
	static u32 actions[TARGET_MAX_ACTIONS];
	if (ends_in_loop())
		engine_livelock(NULL);
	else if (engine_actions(NULL, actions) || engine_terminal(NULL) == TERMINAL_END) {
		if (rt_worker->task.gdb)
			send_fibers(LAYOUT_MAX_FIBERS);
		end(0, "the path ends here");
		return;
	}
	tell_last();
}

static enum step_result step(u32 action)
{
	last = 0;
	enum step_result r = engine_step(NULL, action);
	last = ACTION_FIBER(action) + 1;
	return r;
}

/* What the search took together with the step before it, for the trace: by itself. */
static enum step_result take_merged(u32 slot)
{
	for (u32 i = 0; i < SCHED_MERGED_MAX; i++) {
		const struct fiber *f = &model->fiber[slot];
		if (f->life != FIBER_ALIVE || model->exited || !sched_merges_alone(f, &f->op))
			break;
		event_fiber(event_new(WIRE_EV_STEP), slot, 0);
		event_send();
		enum step_result r = step(ACTION(slot, 0));
		if (r != STEP_OK)
			return r;
	}
	return STEP_OK;
}

void replay_run(void)
{
	const u32 *path = (const u32 *)((char *)rt_worker + rt_worker->task.path_offset);
	rt_worker->phase = WIRE_RUNNING;
	seen = pages_map((rt_worker->task.path_len + 1) * sizeof(*seen));
	hd_assert(seen);
	if (properties_on() && properties_begin() && !rt_worker->task.path_len) {
		tell_last();
		return;
	}
	for (u64 i = 0; i < rt_worker->task.path_len; i++) {
		step_number = i;
		seen[i] = track_fingerprint();
		if (!enabled(path[i])) {
			end(2, "a recorded step is not possible here: another program, or other input?");
			return;
		}
		pause_before_step(path[i]);
		event_fiber(event_new(WIRE_EV_STEP), ACTION_FIBER(path[i]), ACTION_ALT(path[i]));
		event_send();
		if (properties_on())
			properties_step_begins();
		enum step_result r = step(path[i]);
		if (r == STEP_OK)
			r = take_merged(ACTION_FIBER(path[i]));
		if (r == STEP_OK && properties_on() &&
		    properties_step_ends(ACTION_FIBER(path[i])) == STEP_VIOLATION) {
			tell_last();
			return;
		}
		if (r == STEP_VIOLATION) {
			end(1, "");
			return;
		}
		if (r != STEP_OK) {
			end(2, "the recorded path was cut short");
			return;
		}
	}
	step_number = rt_worker->task.path_len;
	end_of_path();
}
