/*
 * signal_wait.c: waiting for signals: pause, sigsuspend, sigtimedwait and its relatives.
 *
 * Those that wait with another mask, or for blocked signals, change what kill() may do. So they begin with a
 * step of its own (signal_order), once signals come from elsewhere: a handler may run there with the old
 * mask, before the call began. What follows is inside the call.
 */
#include "runtime/sched/op_classes.h"
#include "runtime/vkernel/process/signals.h"

static u32 never(const struct fiber *f, const struct op *o)
{
	(void)f;
	(void)o;
	return 0;
}

static void pause_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	(void)o;
	text_str(t, alt == OP_DESCRIBE_PENDING ? "waits for a signal" : "leaves its wait for a signal");
}

struct op_wait signal_awaited(u32 slot, u64 set)
{
	struct op_wait w = {.what = set ? WAIT_WORLD : WAIT_ANYONE};
	for (u64 left = set; left; left &= left - 1) {
		int sig = __builtin_ctzll(left) + 1;
		if (access_is_observed(vk_sent_object(TO_PROCESS, sig)) ||
		    access_is_observed(vk_sent_object(slot, sig)))
			w.what = WAIT_ANYONE;
	}
	return w;
}

/* op: arg = the signals that end the wait, arg2 = the fiber's slot; so it is for sigwait */
static struct op_wait waits_for(const struct op *o)
{
	return signal_awaited((u32)o->arg2, o->arg);
}

const struct op_class op_pause = {
	.name = "pause", .outcomes = never, .describe = pause_describe, .wait = waits_for};

static struct op pause_op(u16 flags)
{
	return (struct op){.kind = OP_PAUSE,
			   .flags = OPF_CANCEL | OPF_EINTR | flags,
			   .arg = ~vk_self()->mask,
			   .arg2 = sched_self_slot()};
}

long vk_sys_pause(struct vk_call *c)
{
	struct op o = pause_op(0);
	return vk_step(c, &o); /* VK_RESTART: it was interrupted */
}

long vk_mask_enter(struct vk_call *c, long set, long size, u64 *kept)
{
	*kept = vk_self()->mask;
	if (!set)
		return 0;
	if (size != sizeof(u64))
		return -EINVAL;
	if (!vk_user_ok((u64)set, sizeof(u64)))
		return -EFAULT;
	signal_order(c, VK_MASKS, ACCESS_ADD);
	vk_self()->mask = *(const u64 *)set & ~SIGNALS_UNMASKABLE;
	vk_self()->mask_behind = *kept | SIGNAL_BIT(SIGKILL);
	return 0;
}

void vk_mask_leave(u64 kept)
{
	if (vk_self()->mask != kept)
		vk_declare(VK_MASKS, ACCESS_ADD);
	vk_self()->mask = kept;
	vk_self()->mask_behind = 0;
}

long vk_sys_rt_sigsuspend(struct vk_call *c)
{
	u64 kept;
	long err = vk_mask_enter(c, c->a[0], c->a[1], &kept);
	if (err)
		return err;
	struct op o = pause_op(OPF_INSIDE);
	long ret = vk_step(c, &o);
	vk_mask_leave(kept);
	return ret;
}

/* ---- sigtimedwait. n: it does not wait ---- */

static int first_of(u32 slot, u64 set, bool *own)
{
	u64 mine = vk->fiber[slot].signals.pending & set, all = vk->signals.pending & set;
	*own = mine;
	return mine ? __builtin_ctzll(mine) + 1 : all ? __builtin_ctzll(all) + 1 : 0;
}

static u32 wait_outcomes(const struct fiber *f, const struct op *o)
{
	bool own;
	return o->n || first_of(fiber_slot(f), o->arg, &own);
}

static void wait_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	bool own;
	int sig = first_of(fiber_slot(f), o->arg, &own);
	if (alt == OP_DESCRIBE_PENDING) {
		text_str(t, "waits for signals");
		for (u64 left = o->arg; left && left != ~(u64)0; left &= left - 1) {
			text_str(t, left == o->arg ? " " : ", ");
			signal_describe(__builtin_ctzll(left) + 1, t);
		}
	} else if (alt == ALT_TIMEOUT || !sig) {
		text_str(t, "finds no signal");
	} else {
		text_str(t, "receives ");
		signal_describe(sig, t);
	}
}

static void wait_accesses(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)f;
	(void)alt;
	signals_declare_queue(o->arg);
	access_declare(VK_MASKS, 1, ACCESS_ADD); /* it no longer wants them */
}

static bool wait_in_vain(const struct fiber *f, const struct op *o, u32 alt)
{
	bool own;
	(void)alt;
	return o->n && !first_of(fiber_slot(f), o->arg, &own);
}

const struct op_class op_sigwait = {
	.name = "wait for signals",
	.outcomes = wait_outcomes,
	.in_vain = wait_in_vain,
	.describe = wait_describe,
	.accesses = wait_accesses,
	.wait = waits_for,
};

static long give_info(const struct vk_siginfo *i, long to)
{
	siginfo_t info;
	signal_info_out(i, &info);
	if (to && !vk_user_out_ok((u64)to, sizeof(info)))
		return -EFAULT; /* and the signal is gone */
	if (to)
		memcpy(vk_user(to), &info, sizeof(info));
	return i->sig;
}

static long wait_for(struct vk_call *c, u64 set, const struct __kernel_timespec *t)
{
	struct op o = {.kind = OP_SIGWAIT,
		       .flags = OPF_CANCEL | OPF_EINTR | OPF_INSIDE,
		       .arg = set,
		       .arg2 = sched_self_slot()};
	o.n = t && !vk_time_ns(t);
	sched_tries(o.n);
	if (t && !o.n)
		o.deadline = clock_deadline(vk_time_ns(t));
	signal_order(c, VK_MASKS, ACCESS_ADD);
	vk_self()->wanted = set;
	long alt = vk_step(c, &o);
	vk_self()->wanted = 0;
	if (alt == VK_RESTART)
		return alt;
	bool own;
	int sig = alt == ALT_TIMEOUT ? 0 : first_of(sched_self_slot(), set, &own);
	if (!sig)
		return -EAGAIN;
	struct vk_siginfo i = signal_dequeue(own ? sched_self_slot() : TO_PROCESS, sig);
	return give_info(&i, c->a[1]);
}

long vk_sys_rt_sigtimedwait(struct vk_call *c)
{
	const u64 *set = vk_user(c->a[0]);
	const struct __kernel_timespec *t = vk_user(c->a[2]);
	if (c->a[3] != sizeof(*set))
		return -EINVAL;
	if (!vk_user_ok((u64)set, sizeof(*set)) || (t && !vk_user_ok((u64)t, sizeof(*t))))
		return -EFAULT;
	if (t && !vk_time_valid(t))
		return -EINVAL;
	return wait_for(c, *set & ~SIGNALS_UNMASKABLE, t);
}
