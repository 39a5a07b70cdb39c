/*
 * timerfd.c: a timer to read from. The counter of expiries lives in the description, the timer is one of the
 * process (process/timer.c), which expires by itself.
 */
#include <linux/time.h>

#include "runtime/sched/op_classes.h"
#include "runtime/vkernel/process/timers.h"

#define TFD_ABSTIME 1
#define TFD_CANCEL_ON_SET 2 /* nobody sets the clock */

/* op: object = description, n = non-blocking */
static u32 read_outcomes(const struct fiber *f, const struct op *o)
{
	(void)f;
	return ((const struct vk_desc *)o->object)->pos > 0 || o->n;
}

static void read_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	const struct vk_desc *d = (const struct vk_desc *)o->object;
	(void)f;
	text_str(t, alt == OP_DESCRIBE_PENDING ? "waits to read timerfd " : "reads timerfd ");
	vk_describe_desc(d, t);
	text_str(t, d->pos ? ", which has expired" : ", which has not expired");
}

static u64 timerfd_object(const struct vk_desc *d)
{
	return vk_desc_object(vk_desc_slot(d), VK_DESC_POSITION);
}

static void read_accesses(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)f;
	(void)alt;
	vk_op_changes(o, timerfd_object((const struct vk_desc *)o->object));
}

static bool read_in_vain(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)f;
	(void)alt;
	return !((const struct vk_desc *)o->object)->pos;
}

const struct op_class op_timerfd_read = {.name = "read timerfd",
					 .outcomes = read_outcomes,
					 .in_vain = read_in_vain,
					 .describe = read_describe,
					 .accesses = read_accesses};

static long timerfd_read(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u64 *pos)
{
	(void)pos;
	if (u->left < sizeof(u64))
		return -EINVAL;
	if (vk_transfer_step(c, OP_TIMERFD_READ, d, 0, d->flags & O_NONBLOCK, false) == VK_RESTART)
		return VK_RESTART;
	if (!d->pos)
		return -EAGAIN;
	u64 value = d->pos;
	d->pos = 0;
	return (long)vk_uio_out(u, &value, sizeof(value));
}

static u32 timerfd_poll(const struct vk_desc *d)
{
	return d->pos ? POLLIN : 0;
}

static void timerfd_release(struct vk_desc *d)
{
	timer_drop(d->object);
}

const struct vk_ops vk_timerfd_ops = {
	.read = timerfd_read,
	.poll = timerfd_poll,
	.stat = vk_anonymous_stat,
	.object = timerfd_object,
	.release = timerfd_release,
	.stream = true,
	.waits = true,
};

long vk_sys_timerfd_create(struct vk_call *c)
{
	u32 flags = (u32)c->a[1];
	if (!timer_clock_runs((int)c->a[0]) || (flags & ~(u32)(O_NONBLOCK | O_CLOEXEC)))
		return -EINVAL;
	vk_fd_take(c, 0, 1);
	struct vk_desc *d = vk_desc_new(VK_TIMERFD, O_RDWR | (flags & O_NONBLOCK));
	if (!d)
		return vk_desc_none(c);
	d->object = timer_take(d, c->a[0] == CLOCK_REALTIME);
	if (d->object)
		return vk_fd_install(d, flags & O_CLOEXEC);
	vk_desc_put(d);
	vk_refuse(c, "limit: 32 timers");
	return -ENOMEM;
}

/* NULL, and *err: there is none behind that number. */
static struct vk_desc *timerfd_of(struct vk_call *c, long *err)
{
	struct vk_desc *d = vk_fd_use(c, (int)c->a[0]);
	*err = !d || (d->flags & O_PATH) ? -EBADF : d->kind != VK_TIMERFD ? -EINVAL : 0;
	return *err ? NULL : d;
}

long vk_sys_timerfd_settime(struct vk_call *c)
{
	struct vk_timespecs new, old;
	long err;
	if (!vk_user_ok((u64)c->a[2], sizeof(new)))
		return -EFAULT;
	memcpy(&new, vk_user(c->a[2]), sizeof(new));
	if ((c->a[1] & ~(long)(TFD_ABSTIME | TFD_CANCEL_ON_SET)) || !timer_spec_ok(&new))
		return -EINVAL;
	const struct vk_desc *d = timerfd_of(c, &err);
	if (!d)
		return err;
	vk_order(c, timerfd_object(d), ACCESS_WRITE);
	if (c->a[3] && !vk_user_out_ok((u64)c->a[3], sizeof(old)))
		return -EFAULT;
	if (c->a[3]) {
		timer_tell(d->object, &old);
		memcpy(vk_user(c->a[3]), &old, sizeof(old));
	}
	vk->desc[vk_desc_slot(d)].pos = 0; /* an expiry that nobody has read is taken back */
	vk_declare(timerfd_object(d), ACCESS_WRITE);
	timer_set(d->object, &new, c->a[1] & TFD_ABSTIME);
	return 0;
}

long vk_sys_timerfd_gettime(struct vk_call *c)
{
	struct vk_timespecs now;
	long err;
	const struct vk_desc *d = timerfd_of(c, &err);
	if (!d)
		return err;
	if (!vk_user_out_ok((u64)c->a[1], sizeof(now)))
		return -EFAULT;
	vk_order(c, timerfd_object(d), ACCESS_READ);
	timer_tell(d->object, &now);
	memcpy(vk_user(c->a[1]), &now, sizeof(now));
	return 0;
}
