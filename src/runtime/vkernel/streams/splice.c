/*
 * splice.c: splice and tee: bytes go from a pipe to a pipe, a file or a socket, or the other way.
 *
 * Between two pipes it is one operation, which can go on when the input has bytes and the output has room:
 * Linux waits for the one, then for the other, and begins again when somebody was faster. A file never
 * waits. A socket does, while Linux holds the pipe's lock: here the pipe is looked at in a step of its own,
 * and should another thread have used it when the socket's step is over, the call is refused.
 */
#include <asm/signal.h>

#include "runtime/sched/op_classes.h"
#include "runtime/vkernel/sockets/sock.h"

#define FLAG_NONBLOCK 2
#define FLAGS_ALL 15 /* MOVE, NONBLOCK, MORE, GIFT */

/* ---- from pipe to pipe. object: input, arg: output, n: non-blocking ---- */

static bool can_go_on(const struct vk_pipe *in, const struct vk_pipe *out)
{
	return in->len ? out->len < out->size || !out->readers : !in->writers;
}

static u32 outcomes(const struct fiber *f, const struct op *o)
{
	const struct vk_pipe *in = (const struct vk_pipe *)o->object, *out = (const struct vk_pipe *)o->arg;
	(void)f;
	return o->n || can_go_on(in, out);
}

static bool in_vain(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)f;
	(void)alt;
	return !can_go_on((const struct vk_pipe *)o->object, (const struct vk_pipe *)o->arg);
}

static void accesses(const struct fiber *f, const struct op *o, u32 alt)
{
	(void)f;
	(void)alt;
	access_declare(vk_pipe_object((u32)((const struct vk_pipe *)o->object - vk->pipe)), 1, ACCESS_WRITE);
	access_declare(vk_pipe_object((u32)((const struct vk_pipe *)o->arg - vk->pipe)), 1, ACCESS_WRITE);
}

static void describe(const struct fiber *f, const struct op *o, u32 alt, struct text *t)
{
	(void)f;
	text_str(t, alt == OP_DESCRIBE_PENDING ? "waits to move bytes from " : "moves bytes from ");
	vk_describe_pipe((const struct vk_pipe *)o->object, t);
	text_str(t, " to ");
	vk_describe_pipe((const struct vk_pipe *)o->arg, t);
}

const struct op_class op_splice = {.name = "splice",
				   .outcomes = outcomes,
				   .in_vain = in_vain,
				   .describe = describe,
				   .accesses = accesses};

static long no_reader(const struct vk_call *c)
{
	vk_signal_raise(SIGPIPE, c->pc);
	return -EPIPE;
}

/* copy: tee, which leaves the bytes where they are. */
static long between_pipes(struct vk_call *c, const struct vk_desc *in, const struct vk_desc *out, u64 len,
			  bool copy)
{
	struct vk_pipe *from = vk_pipe_of(in), *to = vk_pipe_of(out);
	bool patient = !(c->a[copy ? 3 : 5] & FLAG_NONBLOCK) && !((in->flags | out->flags) & O_NONBLOCK);
	if (vk_transfer_step(c, OP_SPLICE, from, (u64)to, !patient, false) == VK_RESTART)
		return VK_RESTART;
	if (!from->len && from->writers)
		return -EAGAIN;
	if (!to->readers)
		return no_reader(c);
	if (!from->len)
		return 0;
	u32 n = (u32)HD_MIN(len, (u64)HD_MIN(from->len, to->size - to->len));
	if (!n)
		return -EAGAIN;
	memcpy(vk_pipe_data(to) + to->len, vk_pipe_data(from), n);
	vk_pipe_came(to, n);
	if (!copy)
		vk_pipe_left(from, n);
	return n;
}

static long refuse(const struct vk_call *c, const char *what)
{
	vk_refuse(c, what);
	return -EINVAL;
}

/* ---- a pipe and a file ---- */

/* Waits for bytes (or the end), or for room (or that nobody reads). */
static long wait_for_pipe(struct vk_call *c, const struct vk_desc *d, u16 kind)
{
	return vk_transfer_step(c, kind, vk_pipe_of(d), 1,
				(c->a[5] & FLAG_NONBLOCK) || (d->flags & O_NONBLOCK), vk_pipe_tells_again(d));
}

/* Waits until there is something in the pipe. False: there is not, and *ret is the call's result. */
static bool has_bytes(struct vk_call *c, const struct vk_desc *in, long *ret)
{
	struct vk_pipe *p = vk_pipe_of(in);
	if (wait_for_pipe(c, in, OP_PIPE_READ) == VK_RESTART)
		return *ret = VK_RESTART, false;
	p->end_told = vk_pipe_at_end(p);
	*ret = p->writers ? -EAGAIN : 0;
	return p->len;
}

/* The same until it has room. */
static bool has_room(struct vk_call *c, const struct vk_desc *out, long *ret)
{
	const struct vk_pipe *p = vk_pipe_of(out);
	if (wait_for_pipe(c, out, OP_PIPE_WRITE) == VK_RESTART)
		return *ret = VK_RESTART, false;
	if (!p->readers)
		return *ret = no_reader(c), false;
	*ret = -EAGAIN;
	return p->len < p->size;
}

static long pipe_to_file(struct vk_call *c, const struct vk_desc *in, struct vk_desc *out, u64 *pos, u64 len)
{
	struct vk_pipe *p = vk_pipe_of(in);
	long none;
	if (!has_bytes(c, in, &none))
		return none;
	struct iovec v = {.iov_base = vk_pipe_data(p), .iov_len = HD_MIN(len, (u64)p->len)};
	struct vk_uio u = {.iov = &v, .count = 1, .left = v.iov_len};
	long n = vk_kinds[out->kind]->write(c, out, &u, pos);
	if (n > 0)
		vk_pipe_left(p, (u32)n);
	return n;
}

static long file_to_pipe(struct vk_call *c, struct vk_desc *in, u64 *pos, const struct vk_desc *out, u64 len)
{
	struct vk_pipe *p = vk_pipe_of(out);
	long none;
	if (!has_room(c, out, &none))
		return none;
	vk_file_use(c, in, ACCESS_READ, pos == &in->pos);
	long done = 0;
	while (len && p->len < p->size) {
		const u8 *at = NULL;
		u64 n = HD_MIN((u64)vk_file_view(in, *pos, &at), HD_MIN(len, (u64)(p->size - p->len)));
		if (!n)
			break;
		memcpy(vk_pipe_data(p) + p->len, at, n);
		vk_pipe_came(p, (u32)n);
		if (pos == &in->pos)
			vk_declare(vk_desc_object(vk_desc_slot(in), VK_DESC_POSITION), ACCESS_WRITE);
		*pos += n;
		len -= n;
		done += (long)n;
	}
	return done;
}

/* ---- a pipe and a socket ---- */

#define SOCKET_PIECE 1024u /* on the fiber's stack while it waits; a short count is as good as a long one */

static long pipe_to_socket(struct vk_call *c, const struct vk_desc *in, struct vk_desc *out, u64 len)
{
	struct vk_pipe *p = vk_pipe_of(in);
	u8 piece[SOCKET_PIECE] = {0};
	long none;
	if (!has_bytes(c, in, &none))
		return none;
	u32 size = (u32)HD_MIN(len, (u64)HD_MIN(p->len, SOCKET_PIECE));
	memcpy(piece, vk_pipe_data(p), size);
	struct iovec v = {.iov_base = piece, .iov_len = size};
	struct vk_uio u = {.iov = &v, .count = 1, .left = size};
	long n = sock_send(c, out, &u, 0, NULL);
	if (n <= 0)
		return n;
	vk_declare(vk_pipe_object(in->object), ACCESS_WRITE);
	if (p->len < (u32)n || memcmp(vk_pipe_data(p), piece, (size_t)n) != 0)
		return refuse(c, "splice to a socket of a pipe that another thread reads, too");
	vk_pipe_left(p, (u32)n);
	return n;
}

static long socket_to_pipe(struct vk_call *c, struct vk_desc *in, const struct vk_desc *out, u64 len)
{
	struct vk_pipe *p = vk_pipe_of(out);
	u8 piece[SOCKET_PIECE] = {0};
	long none;
	if (!has_room(c, out, &none))
		return none;
	u64 size = HD_MIN(len, (u64)(p->size - p->len));
	struct iovec v = {.iov_base = piece, .iov_len = HD_MIN(size, (u64)SOCKET_PIECE)};
	struct vk_uio u = {.iov = &v, .count = 1, .left = v.iov_len};
	struct net_address from = {0};
	u32 out_flags = 0;
	long n = sock_receive(c, in, &u, 0, &from, &out_flags);
	if (n <= 0)
		return n;
	if (out_flags && size > SOCKET_PIECE)
		return refuse(c, "splice of a message above 1 KiB");
	vk_declare(vk_pipe_object(out->object), ACCESS_WRITE);
	if (p->size - p->len < (u32)n || !p->readers)
		return refuse(c, "splice of a socket to a pipe that another thread uses, too");
	memcpy(vk_pipe_data(p) + p->len, piece, (size_t)n);
	vk_pipe_came(p, (u32)n);
	return n;
}

/* ---- the calls ---- */

static bool can_read(const struct vk_desc *d)
{
	return d && (d->flags & O_ACCMODE) != O_WRONLY && !(d->flags & O_PATH);
}

static bool can_write(const struct vk_desc *d)
{
	return d && (d->flags & O_ACCMODE) != O_RDONLY && !(d->flags & O_PATH);
}

static bool is_one_pipe(const struct vk_desc *in, const struct vk_desc *out)
{
	return in->kind == VK_PIPE && out->kind == VK_PIPE && in->object == out->object;
}

static bool seeks(const struct vk_desc *d)
{
	return !vk_kinds[d->kind]->stream;
}

/* In Linux's order: this comes before the modes of opening. */
static long check_positions(const struct vk_desc *in, const u64 *in_pos, const struct vk_desc *out,
			    const u64 *out_pos)
{
	if ((in->kind == VK_PIPE && in_pos) || (out->kind == VK_PIPE && out_pos))
		return -ESPIPE;
	if ((in_pos && !vk_user_out_ok((u64)in_pos, sizeof(*in_pos))) ||
	    (out_pos && !vk_user_out_ok((u64)out_pos, sizeof(*out_pos))))
		return -EFAULT;
	return 0;
}

long vk_sys_splice(struct vk_call *c)
{
	u64 *in_pos = vk_user(c->a[1]), *out_pos = vk_user(c->a[3]),
	    len = HD_MIN((u64)c->a[4], (u64)VK_MAX_RW);
	if (!c->a[4])
		return 0;
	if (c->a[5] & ~(long)FLAGS_ALL)
		return -EINVAL;
	struct vk_desc *in = vk_fd_use(c, (int)c->a[0]), *out = vk_fd_use(c, (int)c->a[2]);
	if (!in || !out)
		return -EBADF;
	long err = in->flags & O_PATH || out->flags & O_PATH ? -EBADF
							     : check_positions(in, in_pos, out, out_pos);
	if (err)
		return err;
	if (!can_read(in) || !can_write(out))
		return -EBADF;
	if (is_one_pipe(in, out) || (in->kind != VK_PIPE && out->kind != VK_PIPE) || (in_pos && !seeks(in)) ||
	    (out_pos && !seeks(out)))
		return -EINVAL;
	if (in->kind == VK_PIPE && out->kind == VK_PIPE)
		return between_pipes(c, in, out, len, false);
	if (in->kind == VK_SOCKET)
		return socket_to_pipe(c, in, out, len);
	if (out->kind == VK_SOCKET)
		return pipe_to_socket(c, in, out, len);
	if (in->kind == VK_FILE)
		return file_to_pipe(c, in, in_pos ? in_pos : &in->pos, out, len);
	if (in->kind != VK_PIPE)
		return in->kind == VK_DIR ? -EINVAL : refuse(c, "splice from a device");
	if (out->flags & O_APPEND)
		return -EINVAL;
	if (out->kind == VK_EVENTFD || !vk_kinds[out->kind]->write)
		return -EINVAL;
	return pipe_to_file(c, in, out, out_pos ? out_pos : &out->pos, len);
}

long vk_sys_tee(struct vk_call *c)
{
	if (c->a[3] & ~(long)FLAGS_ALL)
		return -EINVAL;
	if (!c->a[2])
		return 0;
	struct vk_desc *in = vk_fd_use(c, (int)c->a[0]), *out = vk_fd_use(c, (int)c->a[1]);
	if (!can_read(in) || !can_write(out))
		return -EBADF;
	if (in->kind != VK_PIPE || out->kind != VK_PIPE || is_one_pipe(in, out))
		return -EINVAL;
	return between_pipes(c, in, out, HD_MIN((u64)c->a[2], (u64)VK_MAX_RW), true);
}
