/*
 * poll.c: poll, ppoll, select and pselect6.
 *
 * All four are a list of struct pollfd: the caller's own, or for select one on the
 * caller's stack, where it stays while the fiber waits. Readiness is asked for anew each time the
 * engine wants to know; what the network may have brought meanwhile is decided in the step
 * (streams/selector.h). A call is a step as soon as one descriptor is of a kind that waits, or if the call
 * itself would wait.
 *
 * Descriptors that others close. Linux looks at the numbers when the call begins, and holds what it finds
 * there for as long as it waits: a close by another thread neither wakes it nor ends what was behind the
 * number. When something wakes it, it looks at the numbers again. So where other threads close what is polled
 * (and beginning is a step of its own, touch_list), the descriptions are held, the operation lists them
 * (op.object), and waits for those; at the end a number that was closed is told as POLLNVAL. A number that
 * means something else by then is refused, and so is a change among more than POLL_HELD descriptors. A call
 * that does not wait looks once, and tells what it found then.
 */
#include "runtime/sched/op_classes.h"
#include "runtime/vkernel/core/call.h"
#include "runtime/vkernel/sockets/sock.h"
#include "runtime/vkernel/streams/selector.h"

#define POLL_HELD VK_CALL_FOUND

static u32 events_of(struct vk_desc *d, const struct pollfd *p)
{
	if (!d || (d->flags & O_PATH))
		return POLLNVAL;
	const struct vk_ops *ops = vk_kinds[d->kind];
	u32 all = ops->poll ? ops->poll(d) : POLLIN | POLLOUT | POLLRDNORM | POLLWRNORM;
	return all & ((u32)(u16)p->events | POLLERR | POLLHUP);
}

static u32 ready_events(const struct pollfd *p)
{
	return p->fd < 0 ? 0 : events_of(vk_fd_peek(p->fd), p);
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

/* op: arg = list, n = its length, arg2 = does not wait, object = what it holds, slots + 1, or 0: nothing */
static struct vk_desc *polled(const struct op *o, u32 i)
{
	const struct pollfd *p = (const struct pollfd *)o->arg + i;
	const u16 *held = (const u16 *)o->object;
	if (p->fd < 0)
		return NULL;
	return !held ? vk_fd_peek(p->fd) : held[i] ? &vk->desc[held[i] - 1] : NULL;
}

static u32 polled_events(const struct op *o, u32 i)
{
	const struct pollfd *p = (const struct pollfd *)o->arg + i;
	return p->fd < 0 ? 0 : events_of(polled(o, i), p);
}

static bool has_ready(const struct op *o)
{
	for (u32 i = 0; i < o->n; i++)
		if (polled_events(o, i))
			return true;
	return false;
}

/* The set of an entry that is to tell of the set's news; NULL: it is something else. */
static struct vk_desc *polled_set(const struct op *o, u32 i)
{
	const struct pollfd *p = (const struct pollfd *)o->arg + i;
	struct vk_desc *d = polled(o, i);
	return d && d->kind == VK_EPOLL && (p->events & (POLLIN | POLLRDNORM)) ? d : NULL;
}

/* What is in the epoll sets of the list: how much, and the nth. */
static HD_NOINLINE u32 inside_sets(const struct op *o, u32 nth, struct selector_item *out)
{
	u32 n = 0;
	for (u32 i = 0; i < o->n; i++)
		if (polled_set(o, i))
			n += selector_of_set(polled_set(o, i), nth - n, out);
	return n;
}

/* The list, and behind it what is in its epoll sets. */
static void list_item(const void *list, u32 i, struct selector_item *out)
{
	const struct op *o = list;
	const struct pollfd *p = (const struct pollfd *)o->arg + i;
	if (i < o->n)
		*out = (struct selector_item){.desc = polled(o, i), .events = (u32)(u16)p->events};
	else
		inside_sets(o, i - o->n, out);
}

static struct selector selector_of_op(const struct op *o)
{
	struct selector_item none;
	u32 inside = hd_unlikely(vk->epolls) ? inside_sets(o, ~0u, &none) : 0;
	return (struct selector){
		.list = o, .count = o->n + inside, .ordered = inside != 0, .item = list_item};
}

static void poll_resolve(const struct fiber *f, const struct op *o)
{
	struct selector s = selector_of_op(o);
	(void)f;
	selector_resolve(&s);
}

/* One for each way in which the network can have gone on; if it waits, not the one that nothing is new. */
static u32 poll_outcomes(const struct fiber *f, const struct op *o)
{
	struct selector s = selector_of_op(o);
	bool forced;
	u32 ways = selector_ways(&s, &forced);
	(void)f;
	return o->arg2 || forced || has_ready(o) ? ways : ways - 1;
}

/* Is there anything to be told even if the network brings nothing new? Then it does not wait. */
static bool ready_without_news(const struct op *o)
{
	struct selector s = selector_of_op(o);
	return has_ready(o) || selector_forced(&s);
}

/* The way that belongs to an outcome. */
static u32 way_of(const struct op *o, u32 alt)
{
	if (alt == ALT_TIMEOUT)
		return 0;
	return o->arg2 || ready_without_news(o) ? alt : alt + 1;
}

/* Time passes only where there is nothing to be told yet. */
static bool poll_late(const struct fiber *f, const struct op *o)
{
	(void)f;
	return !ready_without_news(o);
}

static void describe_arrivals(const struct op *o, u32 alt, struct text *t)
{
	const struct pollfd *p = (const struct pollfd *)o->arg;
	struct selector s = selector_of_op(o);
	u32 n = selector_news(&s, way_of(o, alt), NULL, 0);
	u32 item[8];
	selector_news(&s, way_of(o, alt), item, HD_ARRAY_LEN(item));
	for (u32 i = 0; i < HD_MIN(n, (u32)HD_ARRAY_LEN(item)); i++) {
		struct selector_item it;
		s.item(s.list, item[i], &it);
		text_str(t, i ? ", " : "; news has arrived on ");
		if (item[i] < o->n)
			text_dec(t, p[item[i]].fd);
		else
			vk_describe_desc(it.desc, t);
	}
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
		if (polled_events(o, i))
			text_str(t, " (ready)");
	}
	if (alt < OP_DESCRIBE_PENDING && !ALT_IS_TIMER(alt) && !ALT_IS_PEER(alt))
		describe_arrivals(o, alt, t);
	if (alt == ALT_TIMEOUT)
		text_str(t, ", and gives up: time-out");
}

static void poll_accesses(const struct fiber *f, const struct op *o, u32 alt)
{
	const struct pollfd *p = (const struct pollfd *)o->arg;
	struct selector s = selector_of_op(o);
	(void)f;
	for (u32 i = 0; i < o->n; i++)
		if (p[i].fd >= 0)
			vk_fd_declare(p[i].fd, ACCESS_READ);
	for (u32 i = 0; hd_unlikely(vk->epolls) && i < o->n; i++)
		if (polled_set(o, i))
			selector_declare_set(polled_set(o, i));
	selector_declare(&s, alt < OP_DESCRIBE_PENDING ? way_of(o, alt) : 0);
}

static struct op_wait poll_wait(const struct op *o)
{
	struct selector s = selector_of_op(o);
	if (has_ready(o))
		return (struct op_wait){.what = WAIT_ANYONE}; /* it does not wait */
	return selector_wait(&s);
}

static void poll_faults(const struct op *o, struct net_faults *out)
{
	struct selector s = selector_of_op(o);
	selector_faults(&s, out);
}

const struct op_class op_poll = {.name = "poll",
				 .faults = poll_faults,
				 .resolve = poll_resolve,
				 .outcomes = poll_outcomes,
				 .describe = poll_describe,
				 .accesses = poll_accesses,
				 .late = poll_late,
				 .in_vain = selector_looks,
				 .wait = poll_wait};

#define FOREVER (~(u64)0)

/* held: of those that the call holds; else of what the numbers mean now. */
static HD_NOINLINE long fill_in(struct pollfd *p, u32 n, const struct op *held)
{
	long ready = 0;
	for (u32 i = 0; i < n; i++) {
		p[i].revents = (short)(held ? polled_events(held, i) : ready_events(&p[i]));
		ready += p[i].revents != 0;
	}
	return ready;
}

static HD_NOINLINE bool may_be_late(const struct op *o)
{
	struct selector s = selector_of_op(o);
	return selector_may_be_late(&s);
}

static HD_NOINLINE void arrive(const struct op *o, u32 alt)
{
	struct selector s = selector_of_op(o);
	selector_resolve(&s);
	selector_arrive(&s, way_of(o, alt));
}

/* What the numbers stand for now. */
static HD_NOINLINE void look_up(const struct pollfd *p, u32 n, u16 *out)
{
	for (u32 i = 0; i < n; i++) {
		const struct vk_desc *d = p[i].fd < 0 ? NULL : vk_fd_peek(p[i].fd);
		out[i] = d ? (u16)(vk_desc_slot(d) + 1) : 0;
	}
}

/* Have numbers come to mean something else; or (held) something other than nothing? */
static HD_NOINLINE bool means_other(const struct pollfd *p, u32 n, const u16 *before, bool held)
{
	for (u32 i = 0; i < n; i++) {
		const struct vk_desc *d = p[i].fd < 0 ? NULL : vk_fd_peek(p[i].fd);
		if (before[i] != (d ? vk_desc_slot(d) + 1 : 0) && (d || !held))
			return true;
	}
	return false;
}

/* The call keeps what it has found, to its end. */
static HD_NOINLINE bool hold_list(struct vk_call *c, const u16 *list, u32 n)
{
	if (!c->stepped || n + c->found_count > POLL_HELD)
		return false;
	for (u32 i = 0; i < n; i++)
		if (list[i])
			vk_call_found(c, &vk->desc[list[i] - 1]);
	return true;
}

/* Where pselect6 has its mask: a pointer and a size. */
static const long *pselect_mask(const struct vk_call *c)
{
	const long *m = vk_user(c->a[5]);
	return c->nr == __NR_pselect6 && m && m[0] ? m : NULL;
}

static HD_NOINLINE bool has_mask(const struct vk_call *c)
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

/* A step, what it brought, and the answer. */
static long poll_step(struct vk_call *c, struct pollfd *p, u32 n, u64 timeout)
{
	u16 list[n + 1];
	list[n] = 0;
	look_up(p, n, list);
	bool held = hold_list(c, list, n);
	struct op o = {.kind = OP_POLL,
		       .flags = OPF_CANCEL | OPF_EINTR | (has_mask(c) ? OPF_INSIDE : 0) | (n ? 0 : OPF_SLEEP),
		       .n = n,
		       .object = held ? (u64)list : 0,
		       .arg = (u64)p,
		       .arg2 = !timeout};
	if (timeout && timeout != FOREVER)
		o.deadline = clock_deadline(timeout);
	if (timeout && may_be_late(&o))
		o.flags |= OPF_LATE;
	sched_tries(selector_again());
	long alt = vk_step(c, &o);
	selector_returns();
	if (alt == VK_RESTART)
		return alt;
	if (timeout && means_other(p, n, list, held))
		vk_refuse(c, held ? "poll or select (another thread replaced a descriptor)"
				  : "poll or select (another thread closed a descriptor)");
	arrive(&o, (u32)alt);
	/* After a time-out, too, Linux looks once more. */
	return fill_in(p, n, held && !timeout ? &o : NULL);
}

/* Fills in revents; returns how many are not 0. timeout in nanoseconds. */
static long poll_list(struct vk_call *c, struct pollfd *p, u32 n, u64 timeout)
{
	touch_list(c, p, n);
	if (may_wait(p, n) || (timeout && !count_ready(p, n)))
		return poll_step(c, p, n, timeout);
	vk_cancel_point(c);
	return fill_in(p, n, NULL);
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

long vk_poll_timeout(const struct __kernel_timespec *t, u64 *ns)
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

long vk_poll_leave_mask(long result, long mask, u64 kept)
{
	bool restarts;
	if (!result && mask && vk_signal_ready(sched_self_slot(), &restarts)) {
		vk_signals_take();
		result = -EINTR;
	}
	vk_mask_leave(kept);
	return result;
}

long vk_sys_ppoll(struct vk_call *c)
{
	u64 ns;
	u64 kept;
	long err = vk_poll_timeout(vk_user(c->a[2]), &ns);
	if (!err)
		err = vk_mask_enter(c, c->a[3], c->a[4], &kept);
	return err ? err : vk_poll_leave_mask(poll_call(c, ns), c->a[3], kept);
}

/* ---- select: three bit sets ---- */

/* A number that was closed while select waited is told as ready. */
#define SELECT_IN (POLLRDNORM | POLLRDBAND | POLLIN | POLLHUP | POLLERR | POLLNVAL)
#define SELECT_OUT (POLLWRBAND | POLLWRNORM | POLLOUT | POLLERR | POLLNVAL)
#define SELECT_EX (POLLPRI | POLLNVAL)

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
	long err = vk_poll_timeout(vk_user(c->a[4]), &ns);
	if (!err && c->a[5] && !vk_user_ok((u64)c->a[5], 2 * sizeof(long)))
		err = -EFAULT;
	const long *mask = err ? NULL : pselect_mask(c);
	if (!err)
		err = vk_mask_enter(c, mask ? mask[0] : 0, mask ? mask[1] : 0, &kept);
	return err ? err : vk_poll_leave_mask(select_call(c, ns), mask ? mask[0] : 0, kept);
}
