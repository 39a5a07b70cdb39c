/*
 * io.c: read, write and their relatives, for any kind of descriptor.
 */
#include <asm/ioctls.h>

#include "runtime/vkernel/mapping/mappings.h"
#include "runtime/vkernel/sockets/sock.h"

static size_t uio_move(struct vk_uio *u, u8 *kernel, size_t n, bool out)
{
	size_t done = 0;
	n = HD_MIN(n, u->left);
	while (done < n) {
		const struct iovec *v = &u->iov[u->at];
		size_t part = HD_MIN((size_t)v->iov_len - u->off, n - done);
		u8 *user = (u8 *)((u64)v->iov_base + u->off);
		size_t there = part ? vk_user_prefix((u64)user, part, out) : 0;
		u->faulted = there < part;
		part = there;
		if (!part)
			; /* an empty or unmapped piece: its address may be NULL */
		else if (out && kernel)
			memmove(user, kernel + done, part);
		else if (out)
			memset(user, 0, part);
		else
			memmove(kernel + done, user, part);
		done += part;
		u->off += part;
		if (u->faulted)
			break;
		if (u->off == v->iov_len) {
			u->at++;
			u->off = 0;
		}
	}
	u->left -= done;
	return done;
}

bool vk_uio_readable(const struct vk_uio *u)
{
	size_t left = u->left, off = u->off;
	for (u32 i = u->at; i < u->count && left; i++, off = 0) {
		size_t part = HD_MIN((size_t)u->iov[i].iov_len - off, left);
		if (part && vk_user_prefix((u64)u->iov[i].iov_base + off, part, false) < part)
			return false;
		left -= part;
	}
	return true;
}

size_t vk_uio_out(struct vk_uio *u, const void *from, size_t n)
{
	return uio_move(u, (u8 *)from, n, true);
}

size_t vk_uio_in(struct vk_uio *u, void *to, size_t n)
{
	return uio_move(u, to, n, false);
}

long vk_uio_init(struct vk_call *c, struct vk_uio *u, const struct iovec *iov, long count)
{
	if (count < 0 || count > 1024)
		return -EINVAL;
	if (count && !vk_user_ok((u64)iov, (size_t)count * sizeof(*iov)))
		return -EFAULT;
	*u = (struct vk_uio){.iov = iov, .count = (u32)count};
	for (long i = 0; i < count; i++)
		if (iov[i].iov_len)
			vk_user_use(c, (u64)iov[i].iov_base);
	for (long i = 0; i < count; i++) {
		if ((long)iov[i].iov_len < 0)
			return -EINVAL;
		u->left += HD_MIN((size_t)iov[i].iov_len, VK_MAX_RW - u->left);
	}
	return 0;
}

bool vk_desc_steps_first(const struct vk_desc *d)
{
	const struct vk_ops *ops = vk_kinds[d->kind];
	return ops->waits && (!ops->steps_first || ops->steps_first(d));
}

static HD_NOINLINE bool steps_first(int fd)
{
	const struct vk_desc *d = vk_fd_peek(fd);
	return d && vk_desc_steps_first(d);
}

/* One descriptor, one transfer. offset -1: the description's own. */
static long transfer(struct vk_call *c, const struct iovec *iov, long count, long offset, bool out)
{
	int fd = (int)c->a[0];
	struct vk_desc *d = steps_first(fd) ? vk_fd_use_late(c, fd) : vk_fd_use(c, fd);
	if (!d || (d->flags & O_PATH))
		return -EBADF;
	const struct vk_ops *ops = vk_kinds[d->kind];
	if (offset >= 0 && ops->stream)
		return -ESPIPE;
	if ((d->flags & O_ACCMODE) == (out ? O_WRONLY : O_RDONLY))
		return -EBADF;
	struct vk_uio u;
	long err = vk_uio_init(c, &u, iov, count);
	if (err || (!u.left && count != 1))
		return err; /* an empty vector asks for nothing; one empty buffer may be an error */
	u64 at = (u64)offset, *pos = offset >= 0 ? &at : &d->pos;
	long (*move)(struct vk_call *, struct vk_desc *, struct vk_uio *, u64 *) = out ? ops->read
										       : ops->write;
	return move ? vk_uio_result(&u, move(c, d, &u, pos)) : -EINVAL;
}

static long transfer_one(struct vk_call *c, long offset, bool out)
{
	struct iovec v = {.iov_base = vk_user(c->a[1]), .iov_len = HD_MIN((u64)c->a[2], (u64)VK_MAX_RW)};
	return transfer(c, &v, 1, offset, out);
}

static long transfer_vector(struct vk_call *c, long offset, bool out)
{
	return transfer(c, vk_user(c->a[1]), c->a[2], offset, out);
}

long vk_sys_read(struct vk_call *c)
{
	return transfer_one(c, -1, true);
}

long vk_sys_write(struct vk_call *c)
{
	return transfer_one(c, -1, false);
}

long vk_sys_readv(struct vk_call *c)
{
	return transfer_vector(c, -1, true);
}

long vk_sys_writev(struct vk_call *c)
{
	return transfer_vector(c, -1, false);
}

long vk_sys_pread64(struct vk_call *c)
{
	return c->a[3] < 0 ? -EINVAL : transfer_one(c, c->a[3], true);
}

long vk_sys_pwrite64(struct vk_call *c)
{
	return c->a[3] < 0 ? -EINVAL : transfer_one(c, c->a[3], false);
}

long vk_sys_preadv(struct vk_call *c)
{
	return c->a[3] < 0 ? -EINVAL : transfer_vector(c, c->a[3], true);
}

long vk_sys_pwritev(struct vk_call *c)
{
	return c->a[3] < 0 ? -EINVAL : transfer_vector(c, c->a[3], false);
}

/* The flags of the second versions are advice, but for two that change what happens. */
static long vector2(struct vk_call *c, bool out)
{
	const long hipri = 1, dsync = 2, sync = 4;
	if (c->a[5] & ~(hipri | dsync | sync)) {
		vk_refuse(c, out ? "preadv2 with flags" : "pwritev2 with flags");
		return -EOPNOTSUPP;
	}
	return c->a[3] < -1 ? -EINVAL : transfer_vector(c, c->a[3], out);
}

long vk_sys_preadv2(struct vk_call *c)
{
	return vector2(c, true);
}

long vk_sys_pwritev2(struct vk_call *c)
{
	return vector2(c, false);
}

static long set_nonblocking(struct vk_call *c, struct vk_desc *d)
{
	if (!vk_user_ok((u64)c->a[2], sizeof(int)))
		return -EFAULT;
	u32 others = d->flags & ~(u32)O_NONBLOCK;
	return vk_desc_set_flags(c, d, *(int *)c->a[2] ? others | O_NONBLOCK : others);
}

static long tell_pending(struct vk_call *c, struct vk_desc *d)
{
	const struct vk_ops *ops = vk_kinds[d->kind];
	if (!ops->pending)
		return -ENOTTY;
	if (d->kind == VK_FILE)
		vk_file_use(c, d, ACCESS_READ, true);
	else if (d->kind == VK_SOCKET && sock_of(d)->flavour == SOCK_PEER) /* what has arrived by now */
		sock_look(c, d, ~(u64)0, 0);
	else if (ops->waits) /* whose calls are steps, always */
		vk_order(c, ops->object(d), ACCESS_READ);
	long n = ops->pending(c, d); /* of a file: negative behind its end */
	if (n < 0 && d->kind == VK_SOCKET)
		return n;
	if (!vk_user_out_ok((u64)c->a[2], sizeof(int)))
		return -EFAULT;
	*(int *)c->a[2] = (int)n;
	return 0;
}

long vk_sys_ioctl(struct vk_call *c)
{
	int fd = (int)c->a[0];
	struct vk_desc *d = vk_fd_use(c, fd);
	if (!d || (d->flags & O_PATH))
		return -EBADF;
	switch ((u32)c->a[1]) {
	case FIOCLEX:
	case FIONCLEX:
		return vk_fd_set_cloexec(c, fd, (u32)c->a[1] == FIOCLEX);
	case FIONBIO:
		return set_nonblocking(c, d);
	case FIONREAD:
		return tell_pending(c, d);
	}
	const u32 of_sockets = 0x89; /* SIOC…: interfaces, routes, marks */
	if (d->kind == VK_SOCKET && ((u32)c->a[1] >> 8 & 0xff) == of_sockets)
		vk_refuse(c, "ioctl of a socket (SIOC…)");
	return -ENOTTY;
}

/* sendfile and copy_file_range: through the description's own operations, from a file. */
long vk_sys_sendfile(struct vk_call *c)
{
	struct vk_desc *in = vk_fd_use(c, (int)c->a[1]), *out = vk_fd_use(c, (int)c->a[0]);
	u64 *user_pos = vk_user(c->a[2]);
	if (user_pos && !vk_user_out_ok((u64)user_pos, sizeof(*user_pos)))
		return -EFAULT;
	if (!in || (in->flags & O_ACCMODE) == O_WRONLY || (in->flags & O_PATH))
		return -EBADF;
	if (user_pos && vk_kinds[in->kind]->stream)
		return -ESPIPE;
	if (!out || (out->flags & O_ACCMODE) == O_RDONLY || (out->flags & O_PATH))
		return -EBADF;
	if (in->kind != VK_FILE || !vk_kinds[out->kind]->write || (out->flags & O_APPEND))
		return -EINVAL;
	return vk_file_copy(c, in, user_pos ? user_pos : &in->pos, out, &out->pos, (u64)c->a[3]);
}

/* Within one file the two must not overlap. What lies behind the end is not counted: *count is cut. */
static long check_ranges(struct vk_call *c, struct vk_desc *in, u64 from, const struct vk_desc *out, u64 to,
			 u64 *count)
{
	if (from + *count < from || to + *count < to)
		return -EOVERFLOW;
	vk_file_use(c, in, ACCESS_READ, false);
	u64 size = vk_file_size(in), n = (long)from >= (long)size ? 0 : HD_MIN(*count, size - from);
	*count = n;
	bool same = in->object && in->object == out->object;
	if (same && (long)(to + n) > (long)from && (long)to < (long)(from + n))
		return -EINVAL;
	return (long)from < 0 || (long)to < 0 ? -EINVAL : 0;
}

long vk_sys_copy_file_range(struct vk_call *c)
{
	struct vk_desc *in = vk_fd_use(c, (int)c->a[0]), *out = vk_fd_use(c, (int)c->a[2]);
	u64 *in_pos = vk_user(c->a[1]), *out_pos = vk_user(c->a[3]);
	if (!out || !in || (in->flags & O_PATH) || (out->flags & O_PATH))
		return -EBADF;
	if ((in_pos && !vk_user_out_ok((u64)in_pos, 8)) || (out_pos && !vk_user_out_ok((u64)out_pos, 8)))
		return -EFAULT;
	if (c->a[5])
		return -EINVAL;
	if (in->kind == VK_DIR || out->kind == VK_DIR)
		return -EISDIR;
	if (in->kind != VK_FILE || out->kind != VK_FILE)
		return -EINVAL;
	if ((in->flags & O_ACCMODE) == O_WRONLY || (out->flags & O_ACCMODE) == O_RDONLY ||
	    (out->flags & O_APPEND))
		return -EBADF;
	in_pos = in_pos ? in_pos : &in->pos;
	out_pos = out_pos ? out_pos : &out->pos;
	u64 n = (u64)c->a[4];
	long err = check_ranges(c, in, *in_pos, out, *out_pos, &n);
	return err ? err : vk_file_copy(c, in, in_pos, out, out_pos, n);
}
