#include "runtime/sched/run.h"

#include "base/text.h"
#include "runtime/rt.h"
#include "runtime/scratch.h"
#include "runtime/sched/access.h"
#include "runtime/sched/fair.h"
#include "runtime/sched/fiber.h"

static struct {
	u64 sp; /* the engine's context while a fiber runs */
	u32 current, alt;
	bool in_fiber, restart, left, main_runs;
	enum run_end end;
	u64 steps;
	struct run_failure failure;
	void (*tell)(const struct run_failure *f);
} run;

u32 sched_self_slot(void)
{
	return run.current;
}

bool sched_in_fiber(void)
{
	return run.in_fiber;
}

u64 sched_steps(void)
{
	return run.steps;
}

bool sched_active(void)
{
	return run.main_runs;
}

void sched_main_starts(void)
{
	run.main_runs = true;
}

void sched_want_restart(void)
{
	if (rt_worker->task.mode == WIRE_SEARCH)
		run.restart = true;
}

bool run_wants_restart(void)
{
	return run.restart;
}

void run_restarted(void)
{
	run.restart = false;
}

/* --- there and back --- */

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
	scratch_reset();
	fair_moves(slot);
	fiber_set_fs(f->tcb);
	run.in_fiber = true;
	context_switch(&run.sp, f->sp);
	run.in_fiber = false;
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

void sched_limit(const char *what)
{
	struct text t;
	text_init(&t, rt_worker->result.incomplete, sizeof(rt_worker->result.incomplete));
	text_str(&t, "a limit of heddle was reached: ");
	text_str(&t, what);
	abandon(RUN_STOPPED);
}

bool run_dead_stack(struct track_stack *out)
{
	return run.end == RUN_STEP && fiber_dead_stack(run.current, run.left, out);
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
