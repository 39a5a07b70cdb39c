/*
 * signalfd.c: signals to read. The set lives in the description; the signals wait where they always do.
 *
 * A read takes those of the calling thread and of the process. Who polls is not known here: poll looks at
 * the queues of the process and of the thread that made the description; a signal to another thread that has
 * such a set open is refused by name (signalfd_checks).
 */
#include <linux/signalfd.h>

#include "runtime/sched/op_classes.h"
#include "runtime/vkernel/process/signals.h"
#include "runtime/vkernel/streams/epoll.h"

static u64 waiting_for(u32 slot, const struct vk_desc *d)
{
	return (vk->signals.pending | vk->fiber[slot].signals.pending) & d->pos;
}

/* op: object = description, n = non-blocking */
static u32 read_outcomes(const struct fiber *f, const struct op *o)
{
	return waiting_for(fiber_slot(f), (const struct vk_desc *)o->object) || o->n;
}

static void read_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	u64 found = waiting_for(fiber_slot(f), (const struct vk_desc *)o->object);
	text_str(t, alt == OP_DESCRIBE_PENDING ? "waits to read signalfd " : "reads signalfd ");
	vk_describe_desc((const struct vk_desc *)o->object, t);
	if (!found || alt == OP_DESCRIBE_PENDING)
		return;
	text_str(t, ": ");
	signal_describe(__builtin_ctzll(found) + 1, t);
}

static void read_accesses(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)f;
	(void)alt;
	vk_op_changes(o, VK_PENDING_SIGNALS);
	signals_declare_queue(((const struct vk_desc *)o->object)->pos);
	access_declare(vk_desc_object(vk_desc_slot((const struct vk_desc *)o->object), VK_DESC_POSITION), 1,
		       ACCESS_READ);
}

static bool read_in_vain(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)alt;
	return !waiting_for(fiber_slot(f), (const struct vk_desc *)o->object);
}

/* Of a thread's own signals refused ones are not spoken of (signalfd_checks). */
static struct op_wait read_wait(const struct op *o)
{
	return signal_awaited(TO_PROCESS, ((const struct vk_desc *)o->object)->pos);
}

const struct op_class op_signalfd_read = {.name = "read signalfd",
					  .outcomes = read_outcomes,
					  .in_vain = read_in_vain,
					  .describe = read_describe,
					  .accesses = read_accesses,
					  .wait = read_wait};

static void tell(const struct vk_siginfo *i, struct signalfd_siginfo *to)
{
	siginfo_t info;
	memset(to, 0, sizeof(*to));
	signal_info_out(i, &info);
	to->ssi_signo = (u32)info.si_signo;
	to->ssi_errno = info.si_errno;
	to->ssi_code = info.si_code;
	if (info.si_code == SI_TIMER) {
		to->ssi_tid = (u32)info.si_tid;
		to->ssi_overrun = (u32)info.si_overrun;
	} else {
		to->ssi_pid = (u32)info.si_pid;
		to->ssi_uid = (u32)info.si_uid;
	}
	to->ssi_int = info.si_int;
	to->ssi_ptr = (u64)info.si_ptr;
}

static long signalfd_read(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u64 *pos)
{
	long done = 0;
	(void)pos;
	if (u->left < sizeof(struct signalfd_siginfo))
		return -EINVAL;
	if (vk_transfer_step(c, OP_SIGNALFD_READ, d, 0, d->flags & O_NONBLOCK, false) == VK_RESTART)
		return VK_RESTART;
	while (u->left >= sizeof(struct signalfd_siginfo) && !u->faulted) {
		u64 own = vk_self()->signals.pending & d->pos, all = vk->signals.pending & d->pos;
		if (!own && !all)
			break;
		struct signalfd_siginfo to;
		struct vk_siginfo i = signal_dequeue(own ? sched_self_slot() : TO_PROCESS,
						     __builtin_ctzll(own ? own : all) + 1);
		tell(&i, &to);
		done += (long)vk_uio_out(u, &to, sizeof(to));
	}
	return done ? done : u->faulted ? -EFAULT : -EAGAIN;
}

static u32 signalfd_poll(const struct vk_desc *d)
{
	return waiting_for(d->maker, d) ? POLLIN : 0;
}

static u64 signalfd_object(const struct vk_desc *d)
{
	(void)d;
	return VK_PENDING_SIGNALS;
}

const struct vk_ops vk_signalfd_ops = {
	.read = signalfd_read,
	.poll = signalfd_poll,
	.stat = vk_anonymous_stat,
	.object = signalfd_object,
	.stream = true,
	.waits = true,
};

void signalfd_wake(void)
{
	for (u32 i = 0; vk->epolls && i < vk->desc_limit; i++)
		if (vk->desc[i].kind == VK_SIGNALFD)
			epoll_wake(&vk->desc[i], 0);
}

void signalfd_checks(const struct vk_call *c, u32 slot, int sig)
{
	for (u32 i = 0; i < vk->desc_limit; i++) {
		const struct vk_desc *d = &vk->desc[i];
		if (d->kind == VK_SIGNALFD && (d->pos & SIGNAL_BIT(sig)) && d->maker != slot)
			vk_refuse(c, "a signal for one thread, of which another one has a signalfd");
	}
}

static long make_signalfd(struct vk_call *c, u32 flags)
{
	const u64 *set = vk_user(c->a[1]);
	int fd = (int)c->a[0];
	if (c->a[2] != sizeof(*set) || (flags & ~(u32)(O_NONBLOCK | O_CLOEXEC)))
		return -EINVAL;
	if (!vk_user_ok((u64)set, sizeof(*set)))
		return -EFAULT;
	u64 wanted = *set & ~SIGNALS_UNMASKABLE;
	if (fd != -1) {
		struct vk_desc *old = vk_fd_use(c, fd);
		if (!old)
			return -EBADF;
		if (old->kind != VK_SIGNALFD)
			return -EINVAL;
		vk_order(c, vk_desc_object(vk_desc_slot(old), VK_DESC_POSITION), ACCESS_WRITE);
		old->pos = wanted;
		return fd;
	}
	vk_fd_take(c, 0, 1);
	struct vk_desc *d = vk_desc_new(VK_SIGNALFD, O_RDWR | (flags & O_NONBLOCK));
	if (!d)
		return vk_desc_none(c);
	d->pos = wanted;
	return vk_fd_install(d, flags & O_CLOEXEC);
}

long vk_sys_signalfd(struct vk_call *c)
{
	return make_signalfd(c, 0);
}

long vk_sys_signalfd4(struct vk_call *c)
{
	return make_signalfd(c, (u32)c->a[3]);
}
