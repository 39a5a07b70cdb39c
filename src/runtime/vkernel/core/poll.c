/*
 * poll.c: poll, ppoll, select and pselect6.
 *
 * All four are a list of struct pollfd: the caller's own, or for select one on the
 * caller's stack, where it stays while the fiber waits. Readiness is asked for anew each time the
 * engine wants to know. A call is a step as soon as one descriptor is of a kind that waits, or if the
 * call itself would wait.
 */
#include "runtime/vkernel/sockets/sock.h"

static u32 ready_events(const struct pollfd *p)
{
	if (p->fd < 0)
		return 0;
	struct vk_desc *d = vk_fd_peek(p->fd);
	if (!d || (d->flags & O_PATH))
		return POLLNVAL;
	const struct vk_ops *ops = vk_kinds[d->kind];
	u32 all = ops->poll ? ops->poll(d) : POLLIN | POLLOUT | POLLRDNORM | POLLWRNORM;
	return all & ((u32)(u16)p->events | POLLERR | POLLHUP);
}

static u32 count_ready(const struct pollfd *p, u32 n)
{
	u32 ready = 0;
	for (u32 i = 0; i < n; i++)
		ready += ready_events(&p[i]) != 0;
	return ready;
}

static bool may_wait(const struct pollfd *p, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		struct vk_desc *d = vk_fd_peek(p[i].fd);
		if (d && vk_kinds[d->kind]->waits)
			return true;
	}
	return false;
}

/* Is there a socket in the list whose partner is outside, so that what it waits for may be late? */
static SCHED_LOOK bool may_be_late(const struct pollfd *p, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		const struct vk_desc *d = vk_fd_peek(p[i].fd);
		if (d && d->kind == VK_SOCKET && sock_is_outside(d))
			return true;
	}
	return false;
}

/*
 * What a peer has said could still be on its way: with a time-out that is an outcome (OPF_LATE). But a call
 * that does not wait, or asks for other things at the same time, could come back without it, and that is not
 * explored yet.
 */
static SCHED_LOOK void note_delays(const struct vk_call *c, const struct pollfd *p, u32 n, u64 timeout)
{
	for (u32 i = 0; i < n; i++)
		if ((p[i].revents & POLLIN) && (n > 1 || !timeout) && may_be_late(&p[i], 1))
			vk_refuse(c, "poll (delays of the network are not explored)");
}

/* ready_events only looks: whatever it wants to know must have been asked for. */
static SCHED_LOOK void resolve_list(const struct pollfd *p, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		const struct vk_desc *d = vk_fd_peek(p[i].fd);
		if (d && d->kind == VK_SOCKET)
			sock_resolve(d);
	}
}

/* op: arg = list, n = its length, arg2 = does not wait */
static void poll_resolve(const struct fiber *f, const struct op *o)
{
	(void)f;
	if (!o->arg2)
		resolve_list((const struct pollfd *)o->arg, o->n);
}

static u32 poll_outcomes(const struct fiber *f, const struct op *o)
{
	(void)f;
	return o->arg2 || count_ready((const struct pollfd *)o->arg, o->n) ? 1 : 0;
}

static void poll_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	const struct pollfd *p = (const struct pollfd *)o->arg;
	(void)f;
	text_str(t, alt != OP_DESCRIBE_PENDING ? "polls"
		    : o->arg2                  ? "is about to poll"
					       : "waits in poll for");
	text_str(t, o->n == 1 ? " descriptor" : o->n ? " descriptors" : " nothing but time");
	for (u32 i = 0; i < o->n; i++) {
		text_str(t, i ? ", " : " ");
		text_dec(t, p[i].fd);
		if (ready_events(&p[i]))
			text_str(t, " (ready)");
	}
	if (alt == ALT_TIMEOUT)
		text_str(t, ", and gives up: time-out");
}

static void poll_accesses(const struct fiber *f, const struct op *o, u32 alt)
{
	const struct pollfd *p = (const struct pollfd *)o->arg;
	(void)f;
	(void)alt;
	for (u32 i = 0; i < o->n; i++) {
		const struct vk_desc *d = vk_fd_peek(p[i].fd);
		if (p[i].fd >= 0)
			access_declare(vk_fd_object(p[i].fd), 1, ACCESS_READ);
		if (d && d->kind == VK_SOCKET)
			sock_declare_poll(d);
		else if (d && vk_kinds[d->kind]->waits)
			access_declare(vk_kinds[d->kind]->object(d), 1, ACCESS_READ);
	}
}

const struct op_class op_poll = {.name = "poll",
				 .resolve = poll_resolve,
				 .outcomes = poll_outcomes,
				 .describe = poll_describe,
				 .accesses = poll_accesses,
				 .wait = sock_wait_poll};

#define FOREVER (~(u64)0)

/* late: what peers have said comes too late for this call. */
static SCHED_LOOK long fill_in(struct pollfd *p, u32 n, bool late)
{
	long ready = 0;
	for (u32 i = 0; i < n; i++) {
		u32 events = ready_events(&p[i]);
		if (late && may_be_late(&p[i], 1))
			events &= POLLOUT | POLLWRNORM;
		p[i].revents = (short)events;
		ready += events != 0;
	}
	return ready;
}

/* Which descriptions the numbers stand for, as one number. */
static SCHED_LOOK u64 meaning(const struct pollfd *p, u32 n)
{
	const u64 prime = 1099511628211u;
	u64 sum = 0;
	for (u32 i = 0; i < n; i++) {
		const struct vk_desc *d = vk_fd_peek(p[i].fd);
		sum = sum * prime + (d ? (u64)(d - vk->desc) + 1 : 0);
	}
	return sum;
}

/* Where pselect6 has its mask: a pointer and a size. */
static const long *pselect_mask(const struct vk_call *c)
{
	const long *m = vk_user(c->a[5]);
	return c->nr == __NR_pselect6 && m && m[0] ? m : NULL;
}

static SCHED_LOOK bool has_mask(const struct vk_call *c)
{
	return (c->nr == __NR_ppoll && c->a[3]) || pselect_mask(c);
}

static void touch_list(struct vk_call *c, const struct pollfd *p, u32 n)
{
	bool stepped;
	do { /* behind a step all over again: it is that step's business then */
		stepped = c->stepped;
		for (u32 i = 0; i < n; i++)
			vk_fd_touch(c, p[i].fd);
	} while (stepped != c->stepped);
}

/* Fills in revents; returns how many are not 0. timeout in nanoseconds. */
static long poll_list(struct vk_call *c, struct pollfd *p, u32 n, u64 timeout)
{
	long alt = 0;
	touch_list(c, p, n);
	if (may_wait(p, n) || (timeout && !count_ready(p, n))) {
		struct op o = {.kind = OP_POLL,
			       .flags = OPF_CANCEL | OPF_EINTR | (has_mask(c) ? OPF_INSIDE : 0) |
					(n ? 0 : OPF_SLEEP),
			       .n = n,
			       .arg = (u64)p,
			       .arg2 = !timeout};
		if (timeout && timeout != FOREVER)
			o.deadline = clock_deadline(timeout);
		if (may_be_late(p, n))
			o.flags |= OPF_LATE;
		u64 before = meaning(p, n);
		alt = vk_step(c, &o);
		if (alt == VK_RESTART)
			return alt;
		/* Linux would have gone on waiting for the old ones, perhaps for ever. */
		if (timeout && meaning(p, n) != before)
			vk_refuse(c, "poll or select (another thread closed a descriptor)");
	} else {
		vk_cancel_point(c);
	}
	/* After a time-out, too: Linux looks once more. */
	resolve_list(p, n);
	long ready = fill_in(p, n, alt == ALT_TIMEOUT);
	note_delays(c, p, n, timeout);
	return ready;
}

static long poll_call(struct vk_call *c, u64 timeout)
{
	struct pollfd *p = vk_user(c->a[0]);
	u32 n = (u32)c->a[1];
	vk_use(c, VK_LIMITS, ACCESS_READ);
	if (n > vk_fd_max())
		return -EINVAL;
	if (n && !vk_user_out_ok((u64)p, n * sizeof(*p)))
		return -EFAULT;
	return poll_list(c, p, n, timeout);
}

long vk_sys_poll(struct vk_call *c)
{
	int ms = (int)c->a[2];
	return poll_call(c, ms < 0 ? FOREVER : (u64)ms * 1000000);
}

/* 0 and *ns, or an error. */
static long timeout_of(const struct __kernel_timespec *t, u64 *ns)
{
	*ns = FOREVER;
	if (!t)
		return 0;
	if (!vk_user_ok((u64)t, sizeof(*t)))
		return -EFAULT;
	if (!vk_time_valid(t))
		return -EINVAL;
	*ns = vk_time_ns(t);
	return 0;
}

/* A call that finds nothing without having to wait takes what was blocked before, as one that waits would. */
static long leave_mask(struct vk_call *c, long ret, u64 kept)
{
	bool restarts;
	if (!ret && has_mask(c) && vk_signal_ready(sched_self_slot(), &restarts)) {
		vk_signals_take();
		ret = -EINTR;
	}
	vk_mask_leave(kept);
	return ret;
}

long vk_sys_ppoll(struct vk_call *c)
{
	u64 ns;
	u64 kept;
	long err = timeout_of(vk_user(c->a[2]), &ns);
	if (!err)
		err = vk_mask_enter(c, c->a[3], c->a[4], &kept);
	return err ? err : leave_mask(c, poll_call(c, ns), kept);
}

/* ---- select: three bit sets ---- */

#define SELECT_IN (POLLRDNORM | POLLRDBAND | POLLIN | POLLHUP | POLLERR)
#define SELECT_OUT (POLLWRBAND | POLLWRNORM | POLLOUT | POLLERR)
#define SELECT_EX POLLPRI

static bool bit(const u64 *set, u32 fd)
{
	return set && (set[fd / 64] >> fd % 64 & 1);
}

/* How many descriptors are in the sets; list them, if there is a list. */
static u32 select_collect(u64 *const set[3], u32 n, struct pollfd *list)
{
	static const u32 want[3] = {SELECT_IN, SELECT_OUT, SELECT_EX};
	u32 len = 0;
	for (u32 fd = 0; fd < n; fd++) {
		u32 events = 0;
		for (u32 i = 0; i < 3; i++)
			events |= bit(set[i], fd) ? want[i] : 0;
		if (events && list)
			list[len] = (struct pollfd){.fd = (int)fd, .events = (short)events};
		len += events != 0;
	}
	return len;
}

static long select_answer(u64 *const set[3], u32 n, const struct pollfd *list, u32 len)
{
	static const u32 want[3] = {SELECT_IN, SELECT_OUT, SELECT_EX};
	long ready = 0;
	for (u32 i = 0; i < 3; i++) {
		if (!set[i])
			continue;
		u64 asked[(n + 63) / 64 + 1];
		memcpy(asked, set[i], (n + 63) / 64 * 8);
		memset(set[i], 0, (n + 63) / 64 * 8);
		for (u32 k = 0; k < len; k++) {
			u32 fd = (u32)list[k].fd;
			if (!bit(asked, fd) || !((u32)(u16)list[k].revents & want[i]))
				continue;
			set[i][fd / 64] |= (u64)1 << fd % 64;
			ready++;
		}
	}
	return ready;
}

static long select_sets(struct vk_call *c, u32 n, u64 *const set[3], u64 timeout)
{
	for (u32 i = 0; i < 3; i++)
		if (set[i] && !vk_user_out_ok((u64)set[i], (n + 63) / 64 * 8))
			return -EFAULT;
	/* Of the right length: no old stack bytes get into a state, and small stacks do. */
	struct pollfd list[select_collect(set, n, NULL) + 1];
	u32 len = select_collect(set, n, list);
	list[len] = (struct pollfd){0};
	for (u32 i = 0; i < len; i++) {
		vk_fd_touch(c, list[i].fd);
		if (!vk_fd_peek(list[i].fd))
			return -EBADF;
	}
	long err = poll_list(c, list, len, timeout);
	return err < 0 ? err : select_answer(set, n, list, len);
}

static long select_call(struct vk_call *c, u64 timeout)
{
	u64 *const set[3] = {vk_user(c->a[1]), vk_user(c->a[2]), vk_user(c->a[3])};
	long n = (int)c->a[0];
	if (n < 0)
		return -EINVAL;
	return select_sets(c, (u32)HD_MIN(n, VK_MAX_FDS), set, timeout);
}

long vk_sys_select(struct vk_call *c)
{
	long *tv = vk_user(c->a[4]); /* struct timeval: seconds, microseconds */
	if (!tv)
		return select_call(c, FOREVER);
	if (!vk_user_ok((u64)tv, 2 * sizeof(*tv)))
		return -EFAULT;
	struct __kernel_timespec t = {.tv_sec = tv[0] + tv[1] / 1000000, .tv_nsec = tv[1] % 1000000 * 1000};
	return vk_time_valid(&t) ? select_call(c, vk_time_ns(&t)) : -EINVAL;
}

long vk_sys_pselect6(struct vk_call *c)
{
	u64 ns;
	u64 kept;
	long err = timeout_of(vk_user(c->a[4]), &ns);
	if (!err && c->a[5] && !vk_user_ok((u64)c->a[5], 2 * sizeof(long)))
		err = -EFAULT;
	const long *mask = err ? NULL : pselect_mask(c);
	if (!err)
		err = vk_mask_enter(c, mask ? mask[0] : 0, mask ? mask[1] : 0, &kept);
	return err ? err : leave_mask(c, select_call(c, ns), kept);
}
