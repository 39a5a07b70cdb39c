/*
 * device.c: stdout and stderr (console), and the few devices programs read and write:
 * null, zero, full, random. None of them waits, so none of it is a step.
 */
#include "runtime/output/output.h"
#include "runtime/vkernel/core/vk_priv.h"

static long console_write(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u64 *pos)
{
	(void)c;
	long total = (long)u->left;
	(void)pos;
	for (; u->left; u->at++) {
		size_t n = HD_MIN((size_t)u->iov[u->at].iov_len, u->left);
		output_write(d->sub, u->iov[u->at].iov_base, n);
		u->left -= n;
	}
	return total;
}

static u32 console_poll(const struct vk_desc *d)
{
	(void)d;
	return POLLOUT | POLLWRNORM;
}

/* A pipe whose reader is always ready: what `program | cat` would see. */
static void console_stat(const struct vk_desc *d, struct stat *st)
{
	st->st_mode = S_IFIFO | 0600;
	st->st_ino = d->sub;
	st->st_nlink = 1;
	st->st_blksize = HD_PAGE;
}

const struct vk_ops vk_console_ops = {
	.write = console_write,
	.poll = console_poll,
	.stat = console_stat,
	.stream = true,
};

static long device_read(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u64 *pos)
{
	(void)c;
	long n = (long)u->left;
	(void)pos;
	switch (d->sub) {
	case VK_DEVICE_NULL:
		return 0;
	case VK_DEVICE_RANDOM:
		vk_random_bytes(u, u->left);
		return n;
	default:
		return (long)vk_uio_out(u, NULL, u->left);
	}
}

static long device_write(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u64 *pos)
{
	(void)c;
	(void)pos;
	return d->sub == VK_DEVICE_FULL && u->left ? -ENOSPC : (long)u->left;
}

static void device_stat(const struct vk_desc *d, struct stat *st)
{
	static const u8 minor[] = {
		[VK_DEVICE_NULL] = 3, [VK_DEVICE_ZERO] = 5, [VK_DEVICE_FULL] = 7, [VK_DEVICE_RANDOM] = 9};
	st->st_mode = S_IFCHR | 0666;
	st->st_ino = minor[d->sub];
	st->st_nlink = 1;
	st->st_rdev = 1u << 8 | minor[d->sub];
	st->st_blksize = HD_PAGE;
}

const struct vk_ops vk_device_ops = {
	.read = device_read,
	.write = device_write,
	.stat = device_stat,
};

struct vk_desc *vk_device_new(u16 which, u32 flags)
{
	struct vk_desc *d = vk_desc_new(VK_DEVICE, flags);
	if (d)
		d->sub = which;
	return d;
}
