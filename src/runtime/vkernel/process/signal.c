/*
 * signal.c: signals the SUT sends to itself. Nobody else sends any: a signal from outside would be an input
 * the model does not have. Dispositions are the process's, masks and pending
 * sets each fiber's. A handler runs as an ordinary call, on the stack of the fiber that raised the signal.
 */
#include <asm/siginfo.h>
#include <asm/signal.h>

#include "runtime/kstack/kstack.h"
#include "runtime/vkernel/core/vk_priv.h"

#define HANDLER_DEFAULT 0
#define HANDLER_IGNORE 1
#define BIT(sig) ((u64)1 << ((sig)-1))
#define UNMASKABLE (BIT(SIGKILL) | BIT(SIGSTOP))
#define IGNORED_BY_DEFAULT (BIT(SIGCHLD) | BIT(SIGURG) | BIT(SIGWINCH) | BIT(SIGCONT))
#define STOPS_BY_DEFAULT (BIT(SIGSTOP) | BIT(SIGTSTP) | BIT(SIGTTIN) | BIT(SIGTTOU))

static const char *const signal_names[] = {
	"0",         "SIGHUP",  "SIGINT",    "SIGQUIT", "SIGILL",   "SIGTRAP", "SIGABRT", "SIGBUS",
	"SIGFPE",    "SIGKILL", "SIGUSR1",   "SIGSEGV", "SIGUSR2",  "SIGPIPE", "SIGALRM", "SIGTERM",
	"SIGSTKFLT", "SIGCHLD", "SIGCONT",   "SIGSTOP", "SIGTSTP",  "SIGTTIN", "SIGTTOU", "SIGURG",
	"SIGXCPU",   "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO",   "SIGPWR",  "SIGSYS",
};

enum vk_disposition vk_signal_disposition(int sig)
{
	u64 handler = vk->action[sig].handler;
	if (handler == HANDLER_IGNORE)
		return VK_SIG_IGNORE;
	return handler == HANDLER_DEFAULT ? VK_SIG_DEFAULT : VK_SIG_HANDLER;
}

static HD_NORETURN void die(int sig, u64 pc)
{
	char message[64];
	struct text t;
	text_init(&t, message, sizeof(message));
	text_str(&t, "killed by signal ");
	text_dec(&t, sig);
	text_str(&t, " (");
	text_str(&t, sig < (int)HD_ARRAY_LEN(signal_names) ? signal_names[sig] : "real-time");
	text_str(&t, ")");
	sched_violation(sig == SIGABRT ? VIOLATION_ABORT : VIOLATION_CRASH, pc, 0, message);
}

static bool does_nothing(int sig)
{
	enum vk_disposition how = vk_signal_disposition(sig);
	return how == VK_SIG_IGNORE || (how == VK_SIG_DEFAULT && (IGNORED_BY_DEFAULT & BIT(sig)));
}

static void run_handler(int sig)
{
	struct vk_sigaction act = vk->action[sig];
	struct vk_fiber *f = vk_self();
	u64 mask = f->mask;
	f->mask |= act.mask | (act.flags & SA_NODEFER ? 0 : BIT(sig));
	f->mask &= ~UNMASKABLE;
	if (act.flags & SA_RESETHAND) {
		vk_declare(vk_action_object(sig), ACCESS_WRITE);
		vk->action[sig].handler = HANDLER_DEFAULT;
	}
	siginfo_t info = {0};
	info.si_signo = sig;
	info.si_code = SI_TKILL;
	info.si_pid = VK_PID;
	u64 context[128] = {0}; /* a ucontext nobody can resume from */
	kstack_call_out(act.handler, (u64)sig, (u64)&info, (u64)context);
	f->mask = mask; /* a handler that jumps away restores it itself */
}

static void deliver(int sig, u64 pc)
{
	if (does_nothing(sig))
		return;
	if (vk_signal_disposition(sig) == VK_SIG_HANDLER) {
		run_handler(sig);
		return;
	}
	if (STOPS_BY_DEFAULT & BIT(sig)) {
		sched_refused("a signal that stops the process", pc);
		return;
	}
	die(sig, pc);
}

static void deliver_pending(u64 pc)
{
	struct vk_fiber *f = vk_self();
	u64 ready;
	while ((ready = (f->pending | vk->pending) & ~f->mask)) {
		int sig = __builtin_ctzll(ready) + 1;
		if (!(f->pending & BIT(sig)))
			vk_declare(VK_PENDING_SIGNALS, ACCESS_WRITE);
		*(f->pending & BIT(sig) ? &f->pending : &vk->pending) &= ~BIT(sig);
		deliver(sig, pc);
	}
}

void vk_signal_raise(int sig, u64 pc)
{
	vk_touch(NULL, vk_action_object(sig),
		 ACCESS_READ); /* inside a step: who sets the action must be one, too */
	if (does_nothing(sig))
		return;
	vk_self()->pending |= BIT(sig);
	deliver_pending(pc);
}

/* ---- sending ---- */

static long send_to_other(const struct vk_call *c, u32 slot, int sig)
{
	if (!sched_fiber(slot))
		return -ESRCH;
	if (!sig || does_nothing(sig))
		return 0;
	if (vk_signal_disposition(sig) == VK_SIG_DEFAULT && !(vk->fiber[slot].mask & BIT(sig)))
		die(sig, c->pc);
	vk_refuse(c, "a signal to another thread");
	return -ENOSYS;
}

static long send(struct vk_call *c, long tid, int sig)
{
	if (sig < 0 || sig > VK_SIGNALS)
		return -EINVAL;
	if (tid < VK_PID || tid >= VK_PID + LAYOUT_MAX_FIBERS)
		return -ESRCH;
	u32 slot = (u32)(tid - VK_PID);
	if (sig)
		vk_use(c, vk_action_object(sig), ACCESS_READ);
	if (slot != sched_self_slot())
		return send_to_other(c, slot, sig);
	if (sig)
		vk_signal_raise(sig, c->pc);
	return 0;
}

/* To the process: Linux prefers the caller if it does not block the signal, and so do we. */
long vk_sys_kill(struct vk_call *c)
{
	int pid = (int)c->a[0], sig = (int)c->a[1];
	if (pid != VK_PID && pid != 0) {
		vk_refuse(c, "kill of another process");
		return -ESRCH;
	}
	if (sig < 0 || sig > VK_SIGNALS)
		return -EINVAL;
	if (!sig)
		return 0;
	vk_use(c, vk_action_object(sig), ACCESS_READ);
	if (does_nothing(sig))
		return 0;
	if (vk_self()->mask & BIT(sig)) {
		vk_use(c, VK_PENDING_SIGNALS, ACCESS_WRITE);
		vk->pending |= BIT(sig);
	} else {
		vk_signal_raise(sig, c->pc);
	}
	return 0;
}

long vk_sys_tkill(struct vk_call *c)
{
	return send(c, (int)c->a[0], (int)c->a[1]);
}

long vk_sys_tgkill(struct vk_call *c)
{
	return (int)c->a[0] == VK_PID ? send(c, (int)c->a[1], (int)c->a[2]) : -ESRCH;
}

/* ---- dispositions and masks ---- */

long vk_sys_rt_sigaction(struct vk_call *c)
{
	int sig = (int)c->a[0];
	const struct vk_sigaction *new = vk_user(c->a[1]);
	struct vk_sigaction *old = vk_user(c->a[2]);
	if (c->a[3] != sizeof(u64) || sig < 1 || sig > VK_SIGNALS ||
	    (new && (sig == SIGKILL || sig == SIGSTOP)))
		return -EINVAL;
	if ((new && !vk_user_ok((u64) new, sizeof(*new))) || (old && !vk_user_ok((u64)old, sizeof(*old))))
		return -EFAULT;
	vk_use(c, vk_action_object(sig), new ? ACCESS_WRITE : ACCESS_READ);
	struct vk_sigaction was = vk->action[sig];
	if (new) {
		vk->action[sig] = *new;
		vk->action[sig].mask &= ~UNMASKABLE;
	}
	if (old)
		*old = was;
	return 0;
}

static long change_mask(u64 *mask, int how, u64 set)
{
	switch (how) {
	case SIG_BLOCK:
		*mask |= set;
		break;
	case SIG_UNBLOCK:
		*mask &= ~set;
		break;
	case SIG_SETMASK:
		*mask = set;
		break;
	default:
		return -EINVAL;
	}
	*mask &= ~UNMASKABLE;
	return 0;
}

long vk_sys_rt_sigprocmask(struct vk_call *c)
{
	const u64 *set = vk_user(c->a[1]);
	u64 *old = vk_user(c->a[2]);
	struct vk_fiber *f = vk_self();
	u64 was = f->mask;
	if (c->a[3] != sizeof(*set))
		return -EINVAL;
	if ((set && !vk_user_ok((u64)set, sizeof(*set))) || (old && !vk_user_ok((u64)old, sizeof(*old))))
		return -EFAULT;
	if (set) {
		long err = change_mask(&f->mask, (int)c->a[0], *set);
		if (err)
			return err;
	}
	if (old)
		*old = was;
	if (set)
		vk_use(c, VK_PENDING_SIGNALS, ACCESS_READ);
	deliver_pending(c->pc);
	return 0;
}

long vk_sys_rt_sigpending(struct vk_call *c)
{
	if (c->a[1] != sizeof(u64))
		return -EINVAL;
	if (!vk_user_ok((u64)c->a[0], sizeof(u64)))
		return -EFAULT;
	vk_use(c, VK_PENDING_SIGNALS, ACCESS_READ);
	*(u64 *)c->a[0] = (vk_self()->pending | vk->pending) & vk_self()->mask;
	return 0;
}

long vk_sys_sigaltstack(struct vk_call *c)
{
	const stack_t *new = vk_user(c->a[0]);
	stack_t *old = vk_user(c->a[1]);
	struct vk_fiber *f = vk_self();
	if ((new && !vk_user_ok((u64) new, sizeof(*new))) || (old && !vk_user_ok((u64)old, sizeof(*old))))
		return -EFAULT;
	stack_t was = {.ss_sp = (void *)f->alt_sp, .ss_flags = (int)f->alt_flags, .ss_size = f->alt_size};
	if (!f->alt_sp)
		was.ss_flags = VK_SS_DISABLE;
	if (new && (new->ss_flags &VK_SS_DISABLE)) {
		f->alt_sp = f->alt_size = f->alt_flags = 0;
	} else if (new) {
		if (new->ss_size < MINSIGSTKSZ)
			return -ENOMEM;
		f->alt_sp = (u64) new->ss_sp;
		f->alt_size = new->ss_size;
		f->alt_flags = (u32) new->ss_flags;
	}
	if (old)
		*old = was;
	return 0;
}
