/*
 * regular.c: regular files. A description reads the host's snapshot or an overlay inode; it
 * can write only to the latter (open.c copies up).
 *
 * What is a step: contents and offsets are shared memory between fibers. As long as one fiber alone writes a
 * file, or all only read, no order shows and nothing is a step (vk_file_use).
 */
#include "runtime/vkernel/files/overlay.h"
#include "runtime/vkernel/files/touch.h"
#include "runtime/vkernel/sockets/sock.h"

static HD_NOINLINE bool touch(struct vk_call *c, const struct vk_desc *d, enum access_mode mode,
			      bool position)
{
	bool seen = touch_file(c, d, mode);
	return position ? seen | touch_position(c, d) : seen;
}

void vk_file_use(struct vk_call *c, struct vk_desc *d, enum access_mode mode, bool position)
{
	if (!touch(c, d, mode, position))
		return;
	vk_order(c, file_object(d), mode);
	touch(c, d, mode, position);
}

u64 vk_file_size(const struct vk_desc *d)
{
	return d->object ? vk_inode(d->object)->size : host_by_key(d->host)->size;
}

size_t vk_file_view(const struct vk_desc *d, u64 pos, const u8 **at)
{
	u64 size = vk_file_size(d);
	if (pos >= size)
		return 0;
	*at = (d->object ? vk_inode_data(d->object) : host_by_key(d->host)->data) + pos;
	return size - pos;
}

static long file_read(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u64 *pos)
{
	vk_file_use(c, d, ACCESS_READ, pos == &d->pos);
	const u8 *at;
	size_t n = vk_file_view(d, *pos, &at);
	if (n)
		n = vk_uio_out(u, at, n);
	*pos += n;
	return (long)n;
}

static long file_write(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u64 *pos)
{
	vk_file_use(c, d, ACCESS_WRITE, pos == &d->pos);
	if (!u->left)
		return 0;
	struct vk_inode *n = vk_inode(d->object);
	if (!vk_user_prefix((u64)u->iov[u->at].iov_base + u->off, 1, false))
		return -EFAULT;
	if (d->flags & O_APPEND)
		*pos = n->size;
	u64 end = *pos + u->left;
	if (end > n->size) {
		long err = end < *pos ? -EFBIG : vk_inode_resize(c, d->object, end);
		if (err)
			return err;
	}
	vk_inode_changes(d->object);
	size_t done = vk_uio_in(u, vk_inode_data(d->object) + *pos, u->left);
	*pos += done;
	return (long)done;
}

void vk_file_stat(const struct vk_desc *d, struct stat *st)
{
	if (d->object) {
		vk_inode_stat(d->object, st);
		return;
	}
	*st = host_by_key(d->host)->st;
	if (vk_name_find(d->host)) /* the name was removed, or means another file now */
		st->st_nlink--;
}

static long file_pending(struct vk_call *c, const struct vk_desc *d)
{
	(void)c;
	return (long)(vk_file_size(d) - d->pos);
}

void vk_file_release(struct vk_desc *d)
{
	if (!d->object)
		return;
	vk_declare(inode_object(d->object), ACCESS_WRITE);
	vk_inode(d->object)->opens--;
	vk_inode_check(d->object);
}

const struct vk_ops vk_file_ops = {
	.read = file_read,
	.write = file_write,
	.stat = vk_file_stat,
	.pending = file_pending,
	.release = vk_file_release,
};

/* ---- moving the offset ---- */

enum { SEEK_SET_, SEEK_CUR_, SEEK_END_, SEEK_DATA_, SEEK_HOLE_ };

static long file_seek(struct vk_desc *d, long offset, int whence)
{
	long size = (long)vk_file_size(d), to;
	switch (whence) {
	case SEEK_SET_:
		to = offset;
		break;
	case SEEK_CUR_:
		if (__builtin_add_overflow((long)d->pos, offset, &to))
			return -EOVERFLOW;
		break;
	case SEEK_END_:
		if (__builtin_add_overflow(size, offset, &to))
			return -EOVERFLOW;
		break;
	case SEEK_DATA_:
	case SEEK_HOLE_:
		if (offset < 0 || offset >= size)
			return -ENXIO;
		to = whence == SEEK_DATA_ ? offset : size;
		break;
	default:
		return -EINVAL;
	}
	if (to < 0)
		return -EINVAL;
	d->pos = (u64)to;
	return to;
}

long vk_sys_lseek(struct vk_call *c)
{
	struct vk_desc *d = vk_fd_use(c, (int)c->a[0]);
	int whence = (int)c->a[2];
	if (!d || (d->flags & O_PATH))
		return -EBADF;
	if (vk_kinds[d->kind]->stream)
		return -ESPIPE;
	if (whence < 0 || whence > SEEK_HOLE_)
		return -EINVAL;
	if (d->kind == VK_DIR)
		return vk_dir_seek(c, d, c->a[1], whence);
	if (d->kind != VK_FILE)
		return 0;
	vk_file_use(c, d, ACCESS_READ, true);
	return file_seek(d, c->a[1], whence);
}

/* ---- size ---- */

long vk_sys_ftruncate(struct vk_call *c)
{
	struct vk_desc *d = vk_fd_use(c, (int)c->a[0]);
	if (c->a[1] < 0)
		return -EINVAL;
	if (!d || (d->flags & O_PATH))
		return -EBADF;
	if (d->kind != VK_FILE || (d->flags & O_ACCMODE) == O_RDONLY)
		return -EINVAL;
	vk_file_use(c, d, ACCESS_WRITE, false);
	vk_inode_changes(d->object);
	return vk_inode_resize(c, d->object, (u64)c->a[1]);
}

long vk_sys_truncate(struct vk_call *c)
{
	static struct vk_place p;
	if (c->a[1] < 0)
		return -EINVAL;
	long err = vk_path(c, AT_FDCWD, vk_user(c->a[0]), PATH_FOLLOW | PATH_CHANGE, &p);
	if (err)
		return err;
	if (!S_ISREG(p.mode))
		return S_ISDIR(p.mode) ? -EISDIR : p.mode ? -EINVAL : -ENOENT;
	if ((err = vk_place_may(&p, 2)) || (err = vk_copy_up(c, &p, true)))
		return err;
	vk_inode_changes(p.inode);
	return vk_inode_resize(c, p.inode, (u64)c->a[1]);
}

long vk_sys_fallocate(struct vk_call *c)
{
	struct vk_desc *d = vk_fd_use(c, (int)c->a[0]);
	const long keep_size = 1;
	long offset = c->a[2], len = c->a[3], end;
	if (!d || (d->flags & O_PATH))
		return -EBADF;
	if (offset < 0 || len <= 0 || (c->a[1] & ~keep_size))
		return offset < 0 || len <= 0 ? -EINVAL : -EOPNOTSUPP;
	if ((d->flags & O_ACCMODE) == O_RDONLY)
		return -EBADF;
	if (d->kind != VK_FILE)
		return d->kind == VK_PIPE ? -ESPIPE : -ENODEV;
	if (__builtin_add_overflow(offset, len, &end))
		return -EFBIG;
	vk_file_use(c, d, ACCESS_WRITE, false);
	return (c->a[1] & keep_size) || (u64)end <= vk_file_size(d) ? 0
								    : vk_inode_resize(c, d->object, (u64)end);
}

/* Write n bytes that lie at `from`. */
static long write_bytes(struct vk_call *c, struct vk_desc *out, const u8 *from, size_t n, u64 *pos)
{
	struct iovec v = {.iov_base = (void *)from, .iov_len = n};
	struct vk_uio u = {.iov = &v, .count = 1, .left = n};
	return vk_kinds[out->kind]->write(c, out, &u, pos);
}

/*
 * A write that may wait: what it points to must be on this fiber's stack, since the place of the host's
 * data is not part of the state. A short count is as good as a long one.
 */
static long write_waiting(struct vk_call *c, struct vk_desc *out, const u8 *from, size_t n, u64 *pos)
{
	u8 copy[1024] = {0};
	n = HD_MIN(n, sizeof(copy));
	memcpy(copy, from, n);
	return write_bytes(c, out, copy, n, pos);
}

/* One piece: what lies together in `in`. */
static long copy_piece(struct vk_call *c, struct vk_desc *in, u64 *in_pos, struct vk_desc *out, u64 *out_pos,
		       u64 n)
{
	const u8 *at = NULL;
	u64 from = *in_pos;
	size_t have = HD_MIN((u64)vk_file_view(in, from, &at), n);
	if (!have)
		return 0;
	bool waits = vk_kinds[out->kind]->waits;
	long done = waits ? write_waiting(c, out, at, have, out_pos) : write_bytes(c, out, at, have, out_pos);
	if (done > 0 && in_pos != out_pos) {
		if (in_pos == &in->pos) /* once more: the write may have been a step */
			vk_declare(vk_desc_object(vk_desc_slot(in), VK_DESC_POSITION), ACCESS_WRITE);
		*in_pos = from + (u64)done;
	}
	return done;
}

long vk_file_copy(struct vk_call *c, struct vk_desc *in, u64 *in_pos, struct vk_desc *out, u64 *out_pos,
		  u64 n)
{
	long total = 0, done = 1;
	vk_file_use(c, in, ACCESS_READ, in_pos == &in->pos);
	n = HD_MIN(n, (u64)VK_MAX_RW);
	if (out->kind == VK_SOCKET && sock_of(out)->flavour == SOCK_PEER)
		return sock_peer_send_file(c, out, in, in_pos, n);
	/* More than one piece if `out` is the same file and grows; and a socket takes all, or waits. */
	bool goes_on = out->kind == VK_FILE || out->kind == VK_SOCKET;
	while (n && done > 0 && (!total || goes_on)) {
		done = copy_piece(c, in, in_pos, out, out_pos, n);
		if (done > 0) {
			total += done;
			n -= (u64)done;
		}
	}
	return total ? total : HD_MIN(done, 0L);
}

/* Nothing reaches a disk, so nothing has to be written back. */
long vk_sys_fsync(struct vk_call *c)
{
	struct vk_desc *d = vk_fd_use(c, (int)c->a[0]);
	if (!d || (d->flags & O_PATH))
		return -EBADF;
	return d->kind == VK_FILE || d->kind == VK_DIR ? 0 : -EINVAL;
}
