/*
 * signal.c: dispositions, masks, queues and delivery; signals.h says what the model is. Actions are the
 * process's, masks each fiber's. A handler runs as an ordinary call, on the stack of the fiber that takes the
 * signal, or on its alternate one.
 */
#include "runtime/vkernel/process/signals.h"

#include "runtime/kstack/kstack.h"

#define HANDLER_DEFAULT 0
#define HANDLER_IGNORE 1
#define FIRST_REAL_TIME 32
#define BIT SIGNAL_BIT
#define IGNORED_BY_DEFAULT (BIT(SIGCHLD) | BIT(SIGURG) | BIT(SIGWINCH) | BIT(SIGCONT))
#define STOPS_BY_DEFAULT (BIT(SIGSTOP) | BIT(SIGTSTP) | BIT(SIGTTIN) | BIT(SIGTTOU))
#define SYNCHRONOUS \
	(BIT(SIGSEGV) | BIT(SIGBUS) | BIT(SIGILL) | BIT(SIGTRAP) | BIT(SIGFPE) | BIT(SIGSYS)) /* first */

static const char *const signal_names[] = {
	"0",         "SIGHUP",  "SIGINT",    "SIGQUIT", "SIGILL",   "SIGTRAP", "SIGABRT", "SIGBUS",
	"SIGFPE",    "SIGKILL", "SIGUSR1",   "SIGSEGV", "SIGUSR2",  "SIGPIPE", "SIGALRM", "SIGTERM",
	"SIGSTKFLT", "SIGCHLD", "SIGCONT",   "SIGSTOP", "SIGTSTP",  "SIGTTIN", "SIGTTOU", "SIGURG",
	"SIGXCPU",   "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO",   "SIGPWR",  "SIGSYS",
};

void signal_describe(int sig, struct text *t)
{
	if (sig < (int)HD_ARRAY_LEN(signal_names)) {
		text_str(t, signal_names[sig]);
		return;
	}
	text_str(t, "real-time signal ");
	text_dec(t, sig);
}

enum vk_disposition vk_signal_disposition(int sig)
{
	u64 handler = vk->action[sig].handler;
	if (handler == HANDLER_IGNORE)
		return VK_SIG_IGNORE;
	return handler == HANDLER_DEFAULT ? VK_SIG_DEFAULT : VK_SIG_HANDLER;
}

bool vk_catches_signals(void)
{
	static const int from_people[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
	for (u32 i = 0; i < HD_ARRAY_LEN(from_people); i++)
		if (vk_signal_disposition(from_people[i]) == VK_SIG_HANDLER)
			return true;
	return false;
}

bool signal_does_nothing(int sig)
{
	enum vk_disposition how = vk_signal_disposition(sig);
	return how == VK_SIG_IGNORE || (how == VK_SIG_DEFAULT && (IGNORED_BY_DEFAULT & BIT(sig)));
}

/* ---- queues ---- */

static struct vk_signals *queue_of(u32 slot)
{
	return slot == TO_PROCESS ? &vk->signals : &vk->fiber[slot].signals;
}

/* In the order of numbers; real-time signals with the same number in the order in which they came. */
bool signal_waits(u32 slot, int sig)
{
	return sig < FIRST_REAL_TIME && (queue_of(slot)->pending & BIT(sig));
}

bool signal_queue(u32 slot, const struct vk_siginfo *i)
{
	struct vk_signals *q = queue_of(slot);
	u32 at = VK_QUEUED;
	if (q->info[at - 1].sig)
		return false;
	for (; at > 0 && (!q->info[at - 1].sig || q->info[at - 1].sig > i->sig); at--)
		if (q->info[at - 1].sig)
			q->info[at] = q->info[at - 1];
	q->info[at] = *i;
	q->pending |= BIT(i->sig);
	return true;
}

struct vk_siginfo signal_dequeue(u32 slot, int sig)
{
	struct vk_signals *q = queue_of(slot);
	u32 at = 0;
	hd_assert(sig > 0);
	while (q->info[at].sig != sig)
		at++;
	struct vk_siginfo taken = q->info[at];
	for (; at + 1 < VK_QUEUED && q->info[at].sig; at++)
		q->info[at] = q->info[at + 1];
	q->info[at] = (struct vk_siginfo){0};
	q->pending &= ~BIT(sig);
	for (u32 i = 0; i < VK_QUEUED; i++)
		if (q->info[i].sig == sig)
			q->pending |= BIT(sig);
	return taken;
}

static void discard_from(u32 slot, int sig)
{
	if (!(queue_of(slot)->pending & BIT(sig)))
		return;
	if (slot == TO_PROCESS)
		signal_declare_queue(sig);
	else
		vk_declare(thread_object(slot), ACCESS_WRITE);
	while (queue_of(slot)->pending & BIT(sig))
		signal_dequeue(slot, sig);
}

void signal_discard(int sig)
{
	discard_from(TO_PROCESS, sig);
	for (u32 i = 0; i < sched_fiber_limit(); i++)
		discard_from(i, sig);
}

/* What would have no effect is only waiting to be forgotten (signal_deliver). */
static int lowest_of(u64 ready)
{
	for (int round = 0; round < 2; round++) {
		u64 left = round ? ready & ~SYNCHRONOUS : ready & SYNCHRONOUS;
		for (; left; left &= left - 1) {
			int sig = __builtin_ctzll(left) + 1;
			if (!signal_does_nothing(sig))
				return sig;
		}
	}
	return 0;
}

int signal_next(u32 slot, bool *own)
{
	u64 unblocked = ~vk->fiber[slot].mask;
	int sig = lowest_of(vk->fiber[slot].signals.pending & unblocked);
	*own = sig;
	return sig ? sig : lowest_of(vk->signals.pending & unblocked);
}

/* ---- delivery ---- */

static HD_NORETURN HD_NOINLINE void die(int sig, u64 pc)
{
	char message[64];
	struct text t;
	text_init(&t, message, sizeof(message));
	text_fmt(&t, "killed by signal %d (%s)", sig,
		 sig < (int)HD_ARRAY_LEN(signal_names) ? signal_names[sig] : "real-time");
	sched_violation(sig == SIGABRT ? VIOLATION_ABORT : VIOLATION_CRASH, pc, 0, message);
}

void signal_info_out(const struct vk_siginfo *i, siginfo_t *to)
{
	memset(to, 0, sizeof(*to));
	to->si_signo = i->sig;
	to->si_code = i->code;
	if (i->code == SI_TIMER) {
		to->si_tid = i->timer;
	} else {
		to->si_pid = VK_PID;
		to->si_uid = (u32)sys_call3(__NR_getuid, 0, 0, 0);
	}
	if (i->code == SI_TIMER || i->code == SI_QUEUE)
		to->si_value.sival_ptr = (void *)i->value;
}

#define KSTACK_LEFT (LAYOUT_KSTACK_STRIDE / 4)
#define STACK_LEFT 8192 /* what a handler leaves on an alternate stack, as far as it is cleaned up */

/* Does the SUT's code that made the call run on its alternate stack? */
static bool is_on_alternate(const struct vk_fiber *f)
{
	return f->alt_sp && kstack_running && kstack_running->door - f->alt_sp < f->alt_size;
}

/* On the alternate stack, if the fiber has one and is not there already. */
static HD_NOINLINE void call_handler(const struct vk_sigaction *act, int sig, siginfo_t *info, u64 *context)
{
	struct vk_fiber *f = vk_self();
	if (!(act->flags & SA_ONSTACK) || !f->alt_sp || is_on_alternate(f) || !kstack_entered()) {
		kstack_call_out(act->handler, (u64)sig, (u64)info, (u64)context);
		return;
	}
	u64 low = f->alt_sp, top = (low + f->alt_size) & ~15UL, door = kstack_running->door;
	kstack_running->door = top;
	kstack_call_out(act->handler, (u64)sig, (u64)info, (u64)context);
	kstack_running->door = door;
	u64 from = top - low > STACK_LEFT ? top - STACK_LEFT : low;
	memset((void *)from, 0, top - from);
}

/* Handlers may interrupt each other without end (SA_NODEFER and a periodic timer). */
static void stop_if_deep(u64 pc)
{
	char here;
	u64 left = (u64)&here - (LAYOUT_KSTACK_BASE + sched_self_slot() * LAYOUT_KSTACK_STRIDE);
	if (hd_likely(left >= KSTACK_LEFT))
		return;
	sched_refused("limit: handlers that interrupt handlers, dozens deep", pc);
	sched_prune();
}

/*
 * Linux stacks up a frame for each signal that is ready before the first instruction of any
 * handler: the last one runs first. When the lowest one is left, a wait with another mask is over: what the
 * thread's own mask blocks goes on waiting, if it is another one of the same number.
 */
static void run_handler(const struct vk_siginfo *i, u64 pc)
{
	int sig = i->sig;
	stop_if_deep(pc);
	struct vk_sigaction act = vk->action[sig];
	struct vk_fiber *f = vk_self();
	u64 mask = f->mask_behind ? f->mask_behind & ~SIGNALS_UNMASKABLE : f->mask;
	vk_declare(VK_MASKS, ACCESS_ADD);
	f->mask_behind = 0;
	f->mask |= act.mask | (act.flags & SA_NODEFER ? 0 : BIT(sig));
	f->mask &= ~SIGNALS_UNMASKABLE;
	if (act.flags & SA_RESETHAND) {
		vk_declare(vk_action_object(sig), ACCESS_WRITE);
		vk_declare(VK_HANDLERS, ACCESS_WRITE);
		vk->action[sig].handler = HANDLER_DEFAULT;
	}
	signal_deliver(pc);
	siginfo_t info;
	signal_info_out(i, &info);
	u64 context[128] = {0}; /* a ucontext nobody can resume from */
	sched_self()->handlers++;
	call_handler(&act, sig, &info, context);
	sched_self()->handlers--;
	vk_declare(VK_MASKS, ACCESS_ADD);
	f->mask = mask; /* a handler that jumps away restores it itself */
}

static HD_NOINLINE void deliver_one(const struct vk_siginfo *i, u64 pc)
{
	int sig = i->sig;
	if (vk_signal_disposition(sig) == VK_SIG_HANDLER) {
		run_handler(i, pc);
		return;
	}
	if (STOPS_BY_DEFAULT & BIT(sig)) {
		sched_refused("a signal that stops the process", pc);
		return;
	}
	die(sig, pc);
}

/* Those without effect that were blocked when they came: forgotten when they no longer are. */
static void forget_ignored(struct vk_fiber *f)
{
	u64 left = (f->signals.pending | vk->signals.pending) & ~f->mask;
	for (; left; left &= left - 1) {
		int sig = __builtin_ctzll(left) + 1;
		if (!signal_does_nothing(sig))
			continue;
		discard_from(sched_self_slot(), sig);
		discard_from(TO_PROCESS, sig);
	}
}

bool signal_deliver(u64 pc)
{
	bool restarts = false, own;
	struct vk_fiber *f = vk_self();
	if (!(f->signals.pending | vk->signals.pending))
		return false;
	vk_declare(VK_PENDING_SIGNALS, ACCESS_READ);
	forget_ignored(f);
	for (int n = 0, sig; (sig = signal_next(sched_self_slot(), &own)); n++) {
		if (!own)
			signal_declare_queue(sig);
		vk_declare(vk_action_object(sig), ACCESS_READ);
		struct vk_siginfo i = signal_dequeue(own ? sched_self_slot() : TO_PROCESS, sig);
		if (!n)
			restarts = vk->action[sig].flags & SA_RESTART;
		deliver_one(&i, pc);
	}
	return restarts;
}

/* ---- for the scheduler and the engine ---- */

void vk_signals_due(u64 pc)
{
	struct vk_fiber *f = vk_self();
	vk_declare(thread_object(sched_self_slot()), ACCESS_READ);
	if ((f->signals.pending & ~f->mask) && !sched_self()->atomic)
		signal_deliver(pc);
}

bool vk_signals_take(void)
{
	return signal_deliver(0);
}

#define SENT_MAX 8

static bool are_many(u64 set)
{
	u32 n = 0;
	for (; set; set &= set - 1)
		n++;
	return n > SENT_MAX;
}

void vk_signals_access(u32 slot, bool taken)
{
	bool own;
	int sig = signal_next(slot, &own);
	u64 mask = vk->fiber[slot].mask, open = signals_sent(TO_PROCESS, ~mask);
	if (open || signals_sent(slot, ~mask)) /* else none will ever come */
		access_declare(VK_HANDLERS, 1, ACCESS_READ);
	if (taken && !own && sig)
		signal_declare_queue(sig);
	if (are_many(open))
		access_declare(VK_PENDING_SIGNALS, 1, ACCESS_READ);
	else
		for (; open; open &= open - 1)
			access_declare(vk_pending_object(__builtin_ctzll(open) + 1), 1, ACCESS_READ);
	if (sig)
		access_declare(vk_action_object(sig), 1, ACCESS_READ);
}

/* Where threads set handlers beside others, one may come to be while this one goes on. */
bool vk_signals_open(u32 slot)
{
	u64 open = ~vk->fiber[slot].mask;
	open = signals_sent(TO_PROCESS, open) | signals_sent(slot, open);
	if (hd_unlikely(open && access_is_observed(VK_HANDLERS)))
		return true;
	for (; open; open &= open - 1)
		if (vk_signal_disposition(__builtin_ctzll(open) + 1) == VK_SIG_HANDLER)
			return true;
	return false;
}

void vk_signals_taker(u32 slot)
{
	if (hd_unlikely(rt_lessons.signals_used) && signals_sent(TO_PROCESS, ~vk->fiber[slot].mask))
		vk_declare(VK_MASKS, ACCESS_ADD);
}

int vk_signal_ready(u32 slot, bool *restarts)
{
	bool own;
	if (!((vk->fiber[slot].signals.pending | vk->signals.pending) & ~vk->fiber[slot].mask))
		return 0;
	int sig = signal_next(slot, &own);
	*restarts = sig && vk_signal_disposition(sig) == VK_SIG_HANDLER &&
		    (vk->action[sig].flags & SA_RESTART);
	return sig;
}

void vk_describe_signal(u32 slot, bool ends_wait, struct text *t)
{
	bool own;
	text_str(t, ends_wait ? "is interrupted by " : "takes ");
	signal_describe(signal_next(slot, &own), t);
}

/* ---- dispositions and masks ---- */

/* Who ignores a signal discards it wherever it waits, and sigpending() can tell. */
static HD_NOINLINE bool touch_action(struct vk_call *c, int sig, const struct vk_sigaction *new)
{
	bool step = vk_touch(c, vk_action_object(sig), new ? ACCESS_WRITE : ACCESS_READ);
	bool ignores = new && (new->handler == HANDLER_IGNORE ||
			       (new->handler == HANDLER_DEFAULT && (IGNORED_BY_DEFAULT & BIT(sig))));
	return (ignores && vk_touch(c, VK_PENDING_SIGNALS, ACCESS_WRITE)) || step;
}

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
	signal_order(c, vk_action_object(sig), new ? ACCESS_WRITE : ACCESS_READ);
	if (touch_action(c, sig, new)) {
		vk_order(c, vk_action_object(sig), new ? ACCESS_WRITE : ACCESS_READ);
		touch_action(c, sig, new);
	}
	struct vk_sigaction was = vk->action[sig];
	if (new) {
		vk_declare(VK_HANDLERS, ACCESS_WRITE);
		if (new->handler > HANDLER_IGNORE && rt_lessons.signals_used && !sched_all_joined())
			access_observe(VK_HANDLERS);
		vk->action[sig] = *new;
		vk->action[sig].mask &= ~SIGNALS_UNMASKABLE;
		if (signal_does_nothing(sig))
			signal_discard(sig);
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
	*mask &= ~SIGNALS_UNMASKABLE;
	return 0;
}

long vk_sys_rt_sigprocmask(struct vk_call *c)
{
	const u64 *set = vk_user(c->a[1]);
	u64 *old = vk_user(c->a[2]);
	if (c->a[3] != sizeof(*set))
		return -EINVAL;
	if ((set && !vk_user_ok((u64)set, sizeof(*set))) || (old && !vk_user_ok((u64)old, sizeof(*old))))
		return -EFAULT;
	u64 was = vk_self()->mask, mask = was;
	if (set) {
		long err = change_mask(&mask, (int)c->a[0], *set);
		if (err)
			return err;
	}
	if (mask != was)
		signal_order(c, VK_MASKS, ACCESS_ADD);
	vk_self()->mask = mask;
	if (old)
		*old = was;
	if (set)
		vk_use(c, VK_PENDING_SIGNALS, ACCESS_READ);
	signal_deliver(c->pc);
	return 0;
}

long vk_sys_rt_sigpending(struct vk_call *c)
{
	if (c->a[1] != sizeof(u64))
		return -EINVAL;
	if (!vk_user_ok((u64)c->a[0], sizeof(u64)))
		return -EFAULT;
	signal_order(c, VK_PENDING_SIGNALS, ACCESS_READ);
	vk_use(c, VK_PENDING_SIGNALS, ACCESS_READ);
	*(u64 *)c->a[0] = (vk_self()->signals.pending | vk->signals.pending) & vk_self()->mask;
	return 0;
}

long vk_sys_sigaltstack(struct vk_call *c)
{
	const stack_t *new = vk_user(c->a[0]);
	stack_t *old = vk_user(c->a[1]);
	struct vk_fiber *f = vk_self();
	if ((new && !vk_user_ok((u64) new, sizeof(*new))) || (old && !vk_user_ok((u64)old, sizeof(*old))))
		return -EFAULT;
	bool on_it = is_on_alternate(f);
	stack_t was = {.ss_sp = (void *)f->alt_sp, .ss_flags = (int)f->alt_flags, .ss_size = f->alt_size};
	if (!f->alt_sp)
		was.ss_flags = VK_SS_DISABLE;
	else if (on_it)
		was.ss_flags |= VK_SS_ONSTACK;
	if (new &&on_it)
		return -EPERM;
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
