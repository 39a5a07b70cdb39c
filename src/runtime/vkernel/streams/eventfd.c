/*
 * eventfd.c: a counter to wait for. It lives in the description itself.
 */
#include "runtime/sched/op_classes.h"
#include "runtime/vkernel/core/vk_priv.h"
#include "runtime/vkernel/streams/epoll.h"

#define EFD_SEMAPHORE 1u
#define COUNTER_MAX (~(u64)0 - 1)

/* op: object = description, arg = value to add, n = non-blocking */

static u32 read_outcomes(const struct fiber *f, const struct op *o)
{
	(void)f;
	return ((const struct vk_desc *)o->object)->pos > 0 || o->n;
}

static u32 write_outcomes(const struct fiber *f, const struct op *o)
{
	(void)f;
	return COUNTER_MAX - ((const struct vk_desc *)o->object)->pos >= o->arg || o->n;
}

static void describe_counter(const struct op *o, struct text *t)
{
	text_str(t, "eventfd ");
	vk_describe_desc((const struct vk_desc *)o->object, t);
	text_str(t, ", whose counter is ");
	text_dec(t, (long)((const struct vk_desc *)o->object)->pos);
}

static void read_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	text_str(t, alt == OP_DESCRIBE_PENDING ? "waits to read " : "reads ");
	describe_counter(o, t);
}

static void write_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	text_fmt(t, "%s %lu to ", alt == OP_DESCRIBE_PENDING ? "waits to add" : "adds", o->arg);
	describe_counter(o, t);
}

static u64 eventfd_object(const struct vk_desc *d)
{
	return vk_desc_object(vk_desc_slot(d), VK_DESC_POSITION);
}

static void eventfd_accesses(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)f;
	(void)alt;
	vk_op_changes(o, eventfd_object((const struct vk_desc *)o->object));
}

/* Who does not wait, and finds nothing, or no room. */
static bool read_in_vain(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)f;
	(void)alt;
	return !((const struct vk_desc *)o->object)->pos;
}

static bool write_in_vain(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)f;
	(void)alt;
	return COUNTER_MAX - ((const struct vk_desc *)o->object)->pos < o->arg;
}

const struct op_class op_eventfd_read = {.name = "read eventfd",
					 .in_vain = read_in_vain,
					 .outcomes = read_outcomes,
					 .describe = read_describe,
					 .accesses = eventfd_accesses};
const struct op_class op_eventfd_write = {.name = "write eventfd",
					  .in_vain = write_in_vain,
					  .outcomes = write_outcomes,
					  .describe = write_describe,
					  .accesses = eventfd_accesses};

static long eventfd_read(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u64 *pos)
{
	(void)pos;
	if (u->left < sizeof(u64))
		return -EINVAL;
	if (vk_transfer_step(c, OP_EVENTFD_READ, d, 0, d->flags & O_NONBLOCK, false) == VK_RESTART)
		return VK_RESTART;
	if (!d->pos)
		return -EAGAIN;
	u64 value = d->sub ? 1 : d->pos;
	d->pos -= value;
	epoll_wake(d, POLLOUT);
	return (long)vk_uio_out(u, &value, sizeof(value));
}

static long eventfd_write(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u64 *pos)
{
	u64 value;
	(void)pos;
	if (u->left != sizeof(value))
		return -EINVAL;
	if (vk_uio_in(u, &value, sizeof(value)) != sizeof(value))
		return -EFAULT;
	if (value == ~(u64)0)
		return -EINVAL;
	if (vk_transfer_step(c, OP_EVENTFD_WRITE, d, value, d->flags & O_NONBLOCK, false) == VK_RESTART)
		return VK_RESTART;
	if (COUNTER_MAX - d->pos < value)
		return -EAGAIN;
	d->pos += value;
	epoll_wake(d, POLLIN);
	return sizeof(value);
}

static u32 eventfd_poll(const struct vk_desc *d)
{
	return (d->pos ? POLLIN : 0) | (d->pos < COUNTER_MAX ? POLLOUT : 0);
}

const struct vk_ops vk_eventfd_ops = {
	.read = eventfd_read,
	.write = eventfd_write,
	.poll = eventfd_poll,
	.stat = vk_anonymous_stat,
	.object = eventfd_object,
	.stream = true,
	.waits = true,
};

static long make_eventfd(struct vk_call *c, u32 count, u32 flags)
{
	if (flags & ~(u32)(EFD_SEMAPHORE | O_NONBLOCK | O_CLOEXEC))
		return -EINVAL;
	vk_fd_take(c, 0, 1);
	struct vk_desc *d = vk_desc_new(VK_EVENTFD, O_RDWR | (flags & O_NONBLOCK));
	if (!d)
		return vk_desc_none(c);
	d->pos = count;
	d->sub = flags & EFD_SEMAPHORE;
	return vk_fd_install(d, flags & O_CLOEXEC);
}

long vk_sys_eventfd(struct vk_call *c)
{
	return make_eventfd(c, (u32)c->a[0], 0);
}

long vk_sys_eventfd2(struct vk_call *c)
{
	return make_eventfd(c, (u32)c->a[0], (u32)c->a[1]);
}
