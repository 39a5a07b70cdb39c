/*
 * signal_send.c: kill, tgkill and sigqueue. To oneself a signal is taken before the call returns; to another
 * thread it is sent by a step (OP_SIGNAL), and comes some time later. So it is with one to the process,
 * unless the caller alone can take it.
 */
#include "runtime/sched/op_classes.h"
#include "runtime/vkernel/process/signals.h"
#include "wire/wire.h"

void signal_learn(void)
{
	if (!rt_lessons.signals_used) {
		RT_LEARN(signals_used);
		sched_want_restart();
	}
}

u64 signals_sent(u32 slot, u64 set)
{
	static struct {
		u64 sent;
		u32 facts; /* when so many were known */
	} known[TO_PROCESS + 1];
	if (hd_unlikely(known[slot].facts != access_facts())) {
		known[slot].facts = access_facts();
		known[slot].sent = 0;
		for (int sig = 1; sig <= VK_SIGNALS; sig++)
			if (access_is_observed(vk_sent_object(slot, sig)))
				known[slot].sent |= SIGNAL_BIT(sig);
	}
	return set & known[slot].sent;
}

void signal_declare_queue(int sig)
{
	vk_declare(VK_PENDING_SIGNALS, ACCESS_WRITE);
	vk_declare(vk_pending_object(sig), ACCESS_WRITE);
}

void signals_declare_queue(u64 set)
{
	vk_declare(VK_PENDING_SIGNALS, ACCESS_WRITE);
	for (u64 left = signals_sent(TO_PROCESS, set); left; left &= left - 1)
		vk_declare(vk_pending_object(__builtin_ctzll(left) + 1), ACCESS_WRITE);
}

void signal_order(struct vk_call *c, u64 object, enum access_mode mode)
{
	if (rt_lessons.signals_used)
		vk_order(c, object, mode);
}

/* Does the process ignore it for good? What is blocked is kept, since the action may be
   another when it no longer is. */
static bool is_lost(u32 slot, int sig)
{
	if (!signal_does_nothing(sig))
		return false;
	for (u32 i = 0; i < sched_fiber_limit(); i++)
		if (sched_alive(i) && (slot == TO_PROCESS || slot == i) &&
		    !(vk->fiber[i].mask & SIGNAL_BIT(sig)))
			return true;
	return false;
}

long signal_send(const struct vk_call *c, u32 slot, const struct vk_siginfo *i)
{
	/* Even if it is lost: under other masks it would wait, so their changes have to be steps. */
	if (slot == TO_PROCESS ? !sched_all_joined() : slot != sched_self_slot())
		signal_learn();
	if (is_lost(slot, i->sig))
		return 0;
	access_observe(vk_sent_object(slot, i->sig));
	if (slot != TO_PROCESS)
		signalfd_checks(c, slot, i->sig);
	if (signal_waits(slot, i->sig)) /* once is enough */
		return 0;
	if (signal_queue(slot, i)) {
		signalfd_wake();
		return 0;
	}
	vk_refuse(c, "limit: 16 signals that wait in one queue");
	return -EAGAIN;
}

/*
 * What the calling thread has sent is taken before the call returns, if it is there and not blocked. One that
 * is ignored or blocked delivers nothing, not even what waits for whoever comes first.
 */
static void deliver_sent(u32 slot, int sig, u64 pc)
{
	const struct vk_signals *q = slot == TO_PROCESS ? &vk->signals : &vk->fiber[slot].signals;
	if (q->pending & ~vk_self()->mask & SIGNAL_BIT(sig))
		signal_deliver(pc);
}

void vk_signal_raise(int sig, u64 pc)
{
	/* Inside a step: who sets the action must be one, too. */
	vk_touch(NULL, vk_action_object(sig), ACCESS_READ);
	struct vk_siginfo i = {.sig = (u16)sig, .code = SI_TKILL};
	struct vk_call c = {.pc = pc};
	signal_send(&c, sched_self_slot(), &i);
	deliver_sent(sched_self_slot(), sig, pc);
}

/* ---- to a thread ---- */

static long to_other_thread(struct vk_call *c, u32 slot, const struct vk_siginfo *i)
{
	if (!c->end_unseen) /* whether it still is there shows */
		access_learn(thread_end_object(slot), ACCESS_TRY);
	struct op o = {.kind = OP_SIGNAL, .object = slot, .n = i->sig};
	vk_step(c, &o);
	/* Even if it has ended: that may be part of an earlier step only as long as nobody sends signals. */
	if (i->sig)
		signal_learn();
	if (!sched_alive(slot))
		return -ESRCH;
	return i->sig ? signal_send(c, slot, i) : 0;
}

static long to_thread(struct vk_call *c, long tid, const struct vk_siginfo *i)
{
	if (tid < VK_PID || tid >= VK_PID + LAYOUT_MAX_FIBERS)
		return -ESRCH;
	u32 slot = (u32)(tid - VK_PID);
	if (i->sig)
		vk_use(c, vk_action_object(i->sig), ACCESS_READ);
	if (slot != sched_self_slot() && !sched_fiber(slot)) {
		vk_declare(process_object(PROCESS_THREADS), ACCESS_READ);
		return -ESRCH;
	}
	if (slot != sched_self_slot())
		return to_other_thread(c, slot, i);
	if (!i->sig)
		return 0;
	long err = signal_send(c, slot, i);
	deliver_sent(slot, i->sig, c->pc);
	return err;
}

/* ---- to the process ---- */

/* Could a thread other than the caller take it? */
static HD_NOINLINE bool others_can_take(int sig)
{
	for (u32 i = 0; i < sched_fiber_limit(); i++) {
		const struct vk_fiber *f = &vk->fiber[i];
		if (i != sched_self_slot() && sched_alive(i) &&
		    (!(f->mask & SIGNAL_BIT(sig)) || (f->wanted & SIGNAL_BIT(sig))))
			return true;
	}
	return false;
}

static long to_process(struct vk_call *c, const struct vk_siginfo *i)
{
	int sig = i->sig;
	if (!sig)
		return 0;
	vk_use(c, vk_action_object(sig), ACCESS_READ);
	vk_declare(thread_alone_object(sched_self_slot()), ACCESS_READ); /* what it does next tells */
	if (!sched_alone()) {
		struct op o = {.kind = OP_SIGNAL, .object = TO_PROCESS, .n = (u32)sig};
		vk_step(c, &o);
	}
	vk_use(c, VK_PENDING_SIGNALS, ACCESS_WRITE);
	signal_declare_queue(sig);
	long err = signal_send(c, TO_PROCESS, i);
	if (sched_alone() || !others_can_take(sig))
		deliver_sent(TO_PROCESS, sig, c->pc);
	return err;
}

/* ---- the calls ---- */

static bool is_other_process(const struct vk_call *c, int pid)
{
	if (pid == VK_PID || pid == 0)
		return false;
	vk_refuse(c, "kill of another process");
	return true;
}

static bool is_signal(long sig)
{
	return sig >= 0 && sig <= VK_SIGNALS;
}

long vk_sys_kill(struct vk_call *c)
{
	if (is_other_process(c, (int)c->a[0]))
		return -ESRCH;
	struct vk_siginfo i = {.sig = (u16)c->a[1], .code = SI_USER};
	return is_signal((int)c->a[1]) ? to_process(c, &i) : -EINVAL;
}

static long thread_kill(struct vk_call *c, long tid, int sig)
{
	struct vk_siginfo i = {.sig = (u16)sig, .code = SI_TKILL};
	return is_signal(sig) ? to_thread(c, tid, &i) : -EINVAL;
}

long vk_sys_tkill(struct vk_call *c)
{
	return thread_kill(c, (int)c->a[0], (int)c->a[1]);
}

/* libc has other threads call setuid for themselves, by a signal of its own. Here they need not. */
#define LIBC_SETXID 33

long vk_sys_tgkill(struct vk_call *c)
{
	if ((int)c->a[2] == LIBC_SETXID)
		return -ESRCH;
	return (int)c->a[0] == VK_PID ? thread_kill(c, (int)c->a[1], (int)c->a[2]) : -ESRCH;
}

static long queued_info(int sig, long from, struct vk_siginfo *i)
{
	const siginfo_t *info = vk_user(from);
	if (!is_signal(sig))
		return -EINVAL;
	if (!vk_user_ok((u64)from, sizeof(*info)))
		return -EFAULT;
	*i = (struct vk_siginfo){
		.sig = (u16)sig, .code = info->si_code, .value = (u64)info->si_value.sival_ptr};
	return 0;
}

long vk_sys_rt_sigqueueinfo(struct vk_call *c)
{
	struct vk_siginfo i;
	if (is_other_process(c, (int)c->a[0]))
		return -ESRCH;
	long err = queued_info((int)c->a[1], c->a[2], &i);
	return err ? err : to_process(c, &i);
}

long vk_sys_rt_tgsigqueueinfo(struct vk_call *c)
{
	struct vk_siginfo i;
	if ((int)c->a[0] != VK_PID)
		return -ESRCH;
	long err = queued_info((int)c->a[2], c->a[3], &i);
	return err ? err : to_thread(c, (int)c->a[1], &i);
}

/* object: the slot of the thread, or TO_PROCESS; n: the signal */
static void send_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	text_str(t, alt == OP_DESCRIBE_PENDING ? "is about to send " : "sends ");
	signal_describe((int)o->n, t);
	text_str(t, " to ");
	const struct fiber *target = o->object == TO_PROCESS ? NULL : sched_fiber((u32)o->object);
	if (target)
		fiber_describe(target, t);
	else
		text_str(t, o->object == TO_PROCESS ? "the process" : "a thread that is gone");
}

static void send_accesses(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)f;
	(void)alt;
	if (o->object == TO_PROCESS) {
		access_declare(VK_PENDING_SIGNALS, 1, ACCESS_WRITE);
		access_declare(vk_pending_object((int)o->n), 1, ACCESS_WRITE);
	} else {
		access_declare(thread_object((u32)o->object), 1, ACCESS_WRITE);
	}
	access_declare(VK_MASKS, 1, ACCESS_READ);
	if (o->n)
		access_declare(vk_action_object((int)o->n), 1, ACCESS_READ);
}

const struct op_class op_signal = {
	.name = "sends a signal", .describe = send_describe, .accesses = send_accesses};
