#include "runtime/sched/run.h"

#include "base/text.h"
#include "runtime/kstack/kstack.h"
#include "runtime/libc/streams.h"
#include "runtime/rt.h"
#include "runtime/sched/access.h"
#include "runtime/sched/fair.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/op_classes.h"
#include "wire/wire.h"

static struct {
	u64 sp;        /* the engine's context while a fiber runs */
	u64 sp_before; /* that of the fiber that runs, as it was before */
	u32 current, alt;
	bool in_fiber, restart, lesson, left, main_runs;
	enum run_end end;
	u64 steps;
	u64 started_at, lesson_at; /* of these: when the search began, and had its first lesson */
	struct run_failure failure;
	void (*tell)(const struct run_failure *f);
} run;

u64 run_moment;

HD_LEAF u32 sched_self_slot(void)
{
	return run.current;
}

HD_LEAF bool sched_in_fiber(void)
{
	return run.in_fiber;
}

HD_LEAF u64 sched_steps(void)
{
	return run.steps;
}

HD_LEAF bool sched_active(void)
{
	return run.main_runs;
}

void sched_main_starts(void)
{
	run.main_runs = true;
}

void sched_want_restart(void)
{
	/* An execution with live peers can't begin again; all that matters was learnt before. */
	u32 mode = rt_worker->task.mode;
	if ((mode == WIRE_SEARCH || mode == WIRE_SHRINK) && !rt_wire->config.net.confirm)
		run.restart = true;
}

void sched_want_restart_soon(void)
{
	if (rt_worker->task.mode == WIRE_SHRINK) /* a path that is tried again must mean the same as before */
		sched_want_restart();
	if (rt_worker->task.mode == WIRE_SEARCH && !rt_wire->config.net.confirm && !run.lesson) {
		run.lesson = true;
		run.lesson_at = run.steps;
	}
}

bool run_wants_restart(void)
{
	return run.restart || run.lesson;
}

/* As many steps as the search took to learn something, at most, and a few. */
#define MORE_STEPS 500u
#define MORE_STEPS_MAX 20000u
bool run_must_restart(void)
{
	if (hd_likely(!run.restart && !run.lesson))
		return false;
	u64 before = run.lesson_at - run.started_at, more = run.steps - run.lesson_at;
	return run.restart || more > MORE_STEPS + HD_MIN(before, (u64)MORE_STEPS_MAX);
}

void run_restarted(void)
{
	run.restart = run.lesson = false;
	run.started_at = run.steps;
}

/* --- there and back --- */

/* kstack.h, K2 and K3. */
static void check_kernel_stack(u32 slot)
{
	const struct fiber *f = &model->fiber[slot];
	u64 at = kstack_check(slot, run.left ? 0 : f->sp);
	if (!at)
		return;
	char buf[160];
	struct text t;
	text_init(&t, buf, sizeof(buf));
	text_fmt(&t, "%#lx holds %#lx in thread %u, whose operation is: %s", at, *(const u64 *)at, slot + 1,
		 run.left ? "its end" : op_class_of(&f->op)->name);
	rt_fail("sanity check failed: bytes were left on a kernel stack: ", buf, "");
}

enum run_end run_fiber(u32 slot, u32 alt)
{
	struct fiber *f = &model->fiber[slot];
	access_step_begins(slot);
	sched_declare_step(f, alt);
	run.current = slot;
	run.alt = alt;
	run.end = RUN_STEP;
	run.left = false;
	run.steps++;
	run_moment++;
	run.sp_before = f->sp;
	kstack_run(slot, f->sp);
	fiber_set_fs(f->tcb);
	fiber_set_gs(f->gs);
	run.in_fiber = true;
	context_switch(&run.sp, f->sp);
	run.in_fiber = false;
	if (run.left)
		kstack_end(slot);
	if (hd_unlikely(libc_streams_open()) && !access_learn(process_object(PROCESS_STREAMS), ACCESS_ADD))
		libc_streams_sort();
	if (hd_unlikely(rt_wire->config.search.sanity >= 2) && run.end == RUN_STEP)
		check_kernel_stack(slot);
	return run.end;
}

u32 run_yield(void)
{
	context_switch(&model->fiber[run.current].sp, run.sp);
	return run.alt;
}

u32 run_outcome(void)
{
	return run.alt;
}

void run_leave(void)
{
	run.left = true;
	context_resume(run.sp);
}

static HD_NORETURN void abandon(enum run_end end)
{
	run.end = end;
	context_resume(run.sp);
}

void sched_prune(void)
{
	abandon(RUN_PRUNED);
}

void sched_stop(void)
{
	abandon(RUN_STOPPED);
}

enum run_end run_limit(const char *what)
{
	struct text t;
	text_init(&t, rt_worker->result.incomplete, sizeof(rt_worker->result.incomplete));
	text_str(&t, "a limit of heddle was reached: ");
	text_str(&t, what);
	return RUN_STOPPED;
}

void sched_limit(const char *what)
{
	abandon(run_limit(what));
}

bool run_dead_stack(struct track_stack *out)
{
	return run.end == RUN_STEP && fiber_dead_stack(run.current, run.left, run.sp_before, out);
}

/* --- violations --- */

void sched_fail(enum violation_kind kind, u64 pc, u64 address, u32 signo, const struct wire_regs *regs,
		const char *message)
{
	struct run_failure *v = &run.failure;
	v->kind = kind;
	v->slot = run.current;
	v->signo = signo;
	v->pc = pc;
	v->address = address;
	v->regs = *regs;
	str_copy(v->message, sizeof(v->message), message);
	if (run.tell)
		run.tell(v);
	abandon(RUN_VIOLATION);
}

const struct run_failure *run_failure(void)
{
	return &run.failure;
}

void run_on_failure(void (*tell)(const struct run_failure *f))
{
	run.tell = tell;
}
