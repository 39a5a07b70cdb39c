/*
 * symbols_unwind.c: backtraces of fibers. A fiber is no kernel thread, so the unwinder is
 * given one made-up thread whose registers are those of the event.
 */
#include <stdio.h>
#include <string.h>

#include "report/symbols_priv.h"

/* DWARF numbers of the registers in struct wire_regs. */
enum { DWARF_RBX = 3, DWARF_RBP = 6, DWARF_RSP = 7, DWARF_R12 = 12 };

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread_arg)
{
	struct symbols *s = arg;

	(void)dwfl;
	if (*thread_arg)
		return 0;
	*thread_arg = s;
	return s->pid;
}

static bool memory_read(Dwfl *dwfl, Dwarf_Addr at, Dwarf_Word *result, void *arg)
{
	(void)dwfl;
	return symbols_peek(arg, at, result, sizeof(*result));
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	const struct wire_regs *r = &((struct symbols *)arg)->regs;
	const Dwarf_Word upper[4] = {r->r12, r->r13, r->r14, r->r15};

	dwfl_thread_state_register_pc(thread, r->rip);
	return dwfl_thread_state_registers(thread, DWARF_RBX, 1, &r->rbx) &&
	       dwfl_thread_state_registers(thread, DWARF_RBP, 1, &r->rbp) &&
	       dwfl_thread_state_registers(thread, DWARF_RSP, 1, &r->rsp) &&
	       dwfl_thread_state_registers(thread, DWARF_R12, 4, upper);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.memory_read = memory_read,
	.set_initial_registers = set_registers,
};

struct stack_walk {
	struct symbols *s;
	struct frame *out;
	size_t n, max;
};

/* What lies below main and below a thread's function says nothing about the program. */
static bool is_start_up(const char *function)
{
	static const char *const names[] = {"__libc_start_call_main",
					    "__libc_start_main",
					    "__libc_start_main_impl",
					    "_start",
					    "start_thread",
					    "clone",
					    "clone3",
					    "__clone3"};

	for (size_t i = 0; i < HD_ARRAY_LEN(names); i++)
		if (!strcmp(function, names[i]))
			return true;
	return !strncmp(function, "__libc_start_main@@", 19) || !strncmp(function, "std::rt::lang_start", 19);
}

static int one_frame(Dwfl_Frame *state, void *arg)
{
	struct stack_walk *w = arg;
	const struct symbols_module *m;
	Dwarf_Addr pc;
	bool activation;

	if (!dwfl_frame_pc(state, &pc, &activation))
		return DWARF_CB_ABORT;
	m = symbols_module_of(w->s, pc);
	if ((m && m->is_runtime) || symbols_is_hook(w->s, activation ? pc : pc - 1))
		return DWARF_CB_OK;
	/* The bottom of a fiber's stack. */
	if (pc == 0 && w->n > 0)
		return DWARF_CB_ABORT;
	w->n += symbols_locate(w->s, pc, !activation, w->out + w->n, w->max - w->n);
	return w->n < w->max ? DWARF_CB_OK : DWARF_CB_ABORT;
}

static bool attached(struct symbols *s)
{
	return dwfl_pid(s->dwfl) > 0 || dwfl_attach_state(s->dwfl, NULL, s->pid, &thread_callbacks, s);
}

/* After a jump into nowhere the caller's address is still on the stack. */
static void step_back_from_nowhere(struct symbols *s)
{
	u64 caller;

	if (symbols_peek(s, s->regs.rsp, &caller, sizeof(caller)) && symbols_module_of(s, caller)) {
		s->regs.rip = caller;
		s->regs.rsp += 8;
	}
}

void symbols_walk(struct symbols *s, const struct wire_regs *regs, int (*frame)(Dwfl_Frame *, void *),
		  void *arg)
{
	if (!regs->rip)
		return;
	s->regs = *regs;
	if (!symbols_module_of(s, regs->rip))
		symbols_refresh(s);
	if (attached(s) && symbols_module_of(s, regs->rip))
		dwfl_getthread_frames(s->dwfl, s->pid, frame, arg);
}

size_t symbols_unwind(struct symbols *s, const struct wire_regs *regs, struct frame *out, size_t max)
{
	struct stack_walk w = {s, out, 0, max};
	bool lost;

	if (!regs->rip)
		return 0; /* the process has ended: nobody stands anywhere */
	s->regs = *regs;
	if (!symbols_module_of(s, regs->rip))
		symbols_refresh(s);
	lost = !symbols_module_of(s, regs->rip);
	if (lost) {
		w.n = symbols_locate(s, regs->rip, false, out, max);
		step_back_from_nowhere(s);
	}
	if (attached(s) && (!lost || s->regs.rip != regs->rip))
		dwfl_getthread_frames(s->dwfl, s->pid, one_frame, &w);
	while (w.n > 0 && is_start_up(out[w.n - 1].function))
		w.n--;
	return w.n;
}
