/*
 * pipe.c: pipes. Every read and write is a step: the order of two writers shows in the
 * data, and a reader waits.
 *
 * Given up: Linux counts its 64 KiB in pages, so a pipe filled by odd-sized writes
 * is full earlier there. Here it is bytes, because the page structure would make states differ that no
 * program means to tell apart. PIPE_BUF is as in Linux.
 */
#include <asm/signal.h>

#include "runtime/sched/op_classes.h"
#include "runtime/vkernel/core/vk_priv.h"
#include "runtime/vkernel/streams/epoll.h"

struct vk_pipe *vk_pipe_of(const struct vk_desc *d)
{
	return &vk->pipe[d->object];
}

u8 *vk_pipe_data(struct vk_pipe *p)
{
	return p->size > VK_PIPE_SIZE ? vk->large_pipe[p - vk->pipe] : p->data;
}

/* ---- when can it go on? op: object = pipe, arg = bytes, n = non-blocking ---- */

static u32 read_outcomes(const struct fiber *f, const struct op *o)
{
	const struct vk_pipe *p = (const struct vk_pipe *)o->object;
	(void)f;
	return p->len || !p->writers || o->n;
}

/* Small writes are all or nothing; larger ones take what room there is. */
static bool has_room(const struct vk_pipe *p, u64 bytes)
{
	u32 room = p->size - p->len;
	return bytes <= VK_PIPE_BUF ? room >= bytes : room > 0;
}

static u32 write_outcomes(const struct fiber *f, const struct op *o)
{
	const struct vk_pipe *p = (const struct vk_pipe *)o->object;
	(void)f;
	return !p->readers || has_room(p, o->arg) || o->n;
}

/* "the pipe 3 <- 4": who reads, who writes; - stands for an end that is closed. */
void vk_describe_pipe(const struct vk_pipe *p, struct text *t)
{
	int fd[2] = {-1, -1};
	for (int i = (int)vk->fd_limit - 1; i >= 0; i--) {
		const struct vk_desc *d = vk_fd_peek(i);
		if (d && d->kind == VK_PIPE && vk_pipe_of(d) == p)
			fd[d->sub] = i;
	}
	text_str(t, "the pipe ");
	for (int end = 0; end < 2; end++) {
		if (fd[end] >= 0)
			text_dec(t, fd[end]);
		else
			text_str(t, "-");
		text_str(t, end ? "" : " <- ");
	}
}

static void describe_bytes(u64 n, struct text *t)
{
	text_dec(t, (long)n);
	text_str(t, n == 1 ? " byte" : " bytes");
}

static void read_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	const struct vk_pipe *p = (const struct vk_pipe *)o->object;
	(void)f;
	text_str(t, alt == OP_DESCRIBE_PENDING ? "waits to read from " : "reads from ");
	vk_describe_pipe(p, t);
	text_str(t, p->len ? ", which holds " : ", which is empty");
	if (p->len)
		describe_bytes(p->len, t);
	text_str(t, p->writers ? "" : ", without writers");
}

static void write_describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	const struct vk_pipe *p = (const struct vk_pipe *)o->object;
	(void)f;
	text_str(t, alt == OP_DESCRIBE_PENDING ? "waits to write " : "writes ");
	describe_bytes(o->arg, t);
	text_str(t, " to ");
	vk_describe_pipe(p, t);
	text_str(t, !p->readers           ? ", without readers"
		    : has_room(p, o->arg) ? ", which holds "
					  : ", which is full with ");
	if (p->readers)
		describe_bytes(p->len, t);
}

static void pipe_accesses(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)f;
	(void)alt;
	vk_op_changes(o, vk_pipe_object((u32)((const struct vk_pipe *)o->object - vk->pipe)));
}

/* Nothing to read, or no room: of who does not wait, or behind the end. */
static bool read_in_vain(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)f;
	(void)alt;
	return !((const struct vk_pipe *)o->object)->len;
}

static bool write_in_vain(const struct fiber *f, const struct op *o, u32 alt)
{
	const struct vk_pipe *p = (const struct vk_pipe *)o->object;
	(void)f;
	(void)alt;
	return !p->readers || !has_room(p, o->arg);
}

const struct op_class op_pipe_read = {.name = "read pipe",
				      .outcomes = read_outcomes,
				      .describe = read_describe,
				      .accesses = pipe_accesses,
				      .in_vain = read_in_vain};
const struct op_class op_pipe_write = {.name = "write pipe",
				       .outcomes = write_outcomes,
				       .in_vain = write_in_vain,
				       .describe = write_describe,
				       .accesses = pipe_accesses};

/* ---- reading and writing ---- */

bool vk_pipe_at_end(const struct vk_pipe *p)
{
	return !p->len && !p->writers;
}

bool vk_pipe_tells_again(const struct vk_desc *d)
{
	const struct vk_pipe *p = vk_pipe_of(d);
	return d->sub == VK_PIPE_READ ? vk_pipe_at_end(p) && p->end_told : !p->readers;
}

/* Something has changed for who watches this end. */
static void pipe_wake(const struct vk_pipe *p, u16 end, u32 events)
{
	for (u32 i = 0; vk->epolls && i < vk->desc_limit; i++)
		if (vk->desc[i].kind == VK_PIPE && vk->desc[i].sub == end && vk_pipe_of(&vk->desc[i]) == p)
			epoll_wake(&vk->desc[i], events);
}

/* Who waits for room hears of it where there was none. */
void vk_pipe_left(struct vk_pipe *p, u32 n)
{
	u8 *data = vk_pipe_data(p);
	bool was_full = p->size - p->len < VK_PIPE_BUF;
	memmove(data, data + n, p->len - n);
	memset(data + p->len - n, 0, n);
	p->len -= n;
	if (was_full)
		pipe_wake(p, VK_PIPE_WRITE, POLLOUT | POLLWRNORM);
}

void vk_pipe_came(struct vk_pipe *p, u32 n)
{
	p->len += n;
	p->end_told = 0;
	if (n)
		pipe_wake(p, VK_PIPE_READ, POLLIN | POLLRDNORM);
}

static long pipe_read(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u64 *pos)
{
	(void)pos;
	if (!u->left)
		return 0;
	if (vk_transfer_step(c, OP_PIPE_READ, vk_pipe_of(d), u->left, d->flags & O_NONBLOCK,
			     vk_pipe_tells_again(d)) == VK_RESTART)
		return VK_RESTART;
	struct vk_pipe *p = vk_pipe_of(d);
	p->end_told = vk_pipe_at_end(p);
	if (!p->len)
		return p->writers ? -EAGAIN : 0;
	u32 n = (u32)vk_uio_out(u, vk_pipe_data(p), p->len);
	vk_pipe_left(p, n);
	return n;
}

static u32 pipe_take(struct vk_pipe *p, struct vk_uio *u)
{
	u32 n = (u32)vk_uio_in(u, vk_pipe_data(p) + p->len, p->size - p->len);
	vk_pipe_came(p, n);
	return n;
}

static long pipe_write(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u64 *pos)
{
	struct vk_pipe *p = vk_pipe_of(d);
	u64 total = u->left;
	long done = 0;
	(void)pos;
	while (u->left && !u->faulted) {
		/* A large write stays one that takes what room there is, to its last byte. */
		u64 need = total > VK_PIPE_BUF ? HD_MAX(u->left, (size_t)VK_PIPE_BUF + 1) : total;
		if (vk_transfer_step(c, OP_PIPE_WRITE, vk_pipe_of(d), need, d->flags & O_NONBLOCK,
				     vk_pipe_tells_again(d)) == VK_RESTART)
			return done ? done : VK_RESTART;
		if (!p->readers) {
			if (!done)
				vk_signal_raise(SIGPIPE, c->pc);
			return done ? done : -EPIPE;
		}
		if (!has_room(p, need))
			return done ? done : -EAGAIN;
		done += pipe_take(p, u);
		if (d->flags & O_NONBLOCK)
			break;
	}
	return done;
}

/* ---- the object ---- */

static u32 pipe_poll(const struct vk_desc *d)
{
	const struct vk_pipe *p = vk_pipe_of(d);
	if (d->sub == VK_PIPE_READ)
		return (p->len ? POLLIN | POLLRDNORM : 0) | (p->writers ? 0 : POLLHUP);
	return (p->size - p->len >= VK_PIPE_BUF ? POLLOUT | POLLWRNORM : 0) | (p->readers ? 0 : POLLERR);
}

static void pipe_stat(const struct vk_desc *d, struct stat *st)
{
	st->st_mode = S_IFIFO | vk_pipe_of(d)->mode;
	st->st_ino = d->object + 1;
	st->st_nlink = 1;
	st->st_blksize = HD_PAGE;
}

static long pipe_pending(struct vk_call *c, const struct vk_desc *d)
{
	(void)c;
	return vk_pipe_of(d)->len;
}

static u64 pipe_object(const struct vk_desc *d)
{
	return vk_pipe_object(d->object);
}

static void pipe_release(struct vk_desc *d)
{
	struct vk_pipe *p = vk_pipe_of(d);
	vk_declare(vk_pipe_object(d->object), ACCESS_WRITE);
	(*(d->sub == VK_PIPE_READ ? &p->readers : &p->writers))--;
	if (p->readers || p->writers) {
		pipe_wake(p, d->sub == VK_PIPE_READ ? VK_PIPE_WRITE : VK_PIPE_READ, 0);
		return;
	}
	memset(vk_pipe_data(p), 0, p->len);
	p->used = p->len = p->size = p->mode = p->end_told = 0;
}

const struct vk_ops vk_pipe_ops = {
	.read = pipe_read,
	.write = pipe_write,
	.poll = pipe_poll,
	.stat = pipe_stat,
	.object = pipe_object,
	.pending = pipe_pending,
	.release = pipe_release,
	.stream = true,
	.waits = true,
};

long vk_pipe_size(struct vk_call *c, const struct vk_desc *d)
{
	if (d->kind != VK_PIPE)
		return -EBADF;
	vk_order(c, vk_pipe_object(d->object), ACCESS_READ);
	return vk_pipe_of(d)->size;
}

static void set_size(struct vk_pipe *p, u32 size)
{
	u8 *old = vk_pipe_data(p);
	p->size = size;
	u8 *new = vk_pipe_data(p);
	if (new == old)
		return;
	memcpy(new, old, p->len);
	memset(old, 0, p->len);
}

long vk_pipe_resize(struct vk_call *c, const struct vk_desc *d, u32 want)
{
	if (d->kind != VK_PIPE)
		return -EBADF;
	struct vk_pipe *p = vk_pipe_of(d);
	vk_order(c, vk_pipe_object(d->object), ACCESS_WRITE);
	if (want > 1u << 31)
		return -EINVAL;
	if (want > VK_PIPE_SIZE_MAX)
		return -EPERM;
	u32 size = HD_PAGE;
	while (size < want)
		size *= 2;
	if (size > VK_PIPE_SIZE && d->object >= VK_LARGE_PIPES) {
		vk_refuse(c, "limit: F_SETPIPE_SZ above 64 KiB for more than 64 pipes");
		return -EPERM;
	}
	if (size < p->len)
		return -EBUSY;
	set_size(p, size);
	return size;
}

static struct vk_pipe *pipe_new(void)
{
	for (u32 i = sched_self_slot() % vk_slot_lanes(); i < VK_MAX_PIPES; i += vk_slot_lanes()) {
		struct vk_pipe *p = &vk->pipe[i];
		if (p->used)
			continue;
		vk_slot_declare(i, true);
		vk_declare(vk_pipe_object(i), ACCESS_WRITE);
		p->used = p->readers = p->writers = 1;
		p->size = VK_PIPE_SIZE;
		p->mode = 0600;
		return p;
	}
	return NULL;
}

static struct vk_desc *pipe_end(struct vk_pipe *p, u16 end, u32 flags)
{
	struct vk_desc *d = vk_desc_new(VK_PIPE, flags);
	hd_assert(d); /* room was counted before */
	d->sub = end;
	d->object = (u32)(p - vk->pipe);
	return d;
}

/* 0, or why there is no room for the two ends. */
static long check_room(const struct vk_call *c)
{
	u32 fds = 0, descs = 0;
	for (u32 i = 0; i < vk_fd_max() && fds < 2; i++)
		fds += !vk->fd[i].desc;
	for (u32 i = 0; i < VK_MAX_DESCS && descs < 2; i++)
		descs += vk->desc[i].kind == VK_FREE;
	if (fds < 2)
		return -EMFILE;
	return descs < 2 ? vk_desc_none(c) : 0;
}

static long make_pipe(struct vk_call *c, int *fds, u32 flags)
{
	if (flags & ~(u32)(O_CLOEXEC | O_NONBLOCK | O_DIRECT))
		return -EINVAL;
	if (flags & O_DIRECT) {
		vk_refuse(c, "pipe2(O_DIRECT)");
		return -EINVAL;
	}
	if (!vk_user_out_ok((u64)fds, 2 * sizeof(*fds)))
		return -EFAULT;
	vk_fd_take(c, 0, 2);
	long err = check_room(c);
	if (err)
		return err;
	struct vk_pipe *p = pipe_new();
	if (!p) {
		vk_refuse(c, "limit: more than 4096 pipes");
		return -ENFILE;
	}
	bool cloexec = flags & O_CLOEXEC;
	fds[0] = (int)vk_fd_install(pipe_end(p, VK_PIPE_READ, O_RDONLY | (flags & O_NONBLOCK)), cloexec);
	fds[1] = (int)vk_fd_install(pipe_end(p, VK_PIPE_WRITE, O_WRONLY | (flags & O_NONBLOCK)), cloexec);
	return 0;
}

long vk_sys_pipe(struct vk_call *c)
{
	return make_pipe(c, vk_user(c->a[0]), 0);
}

long vk_sys_pipe2(struct vk_call *c)
{
	return make_pipe(c, vk_user(c->a[0]), (u32)c->a[1]);
}
