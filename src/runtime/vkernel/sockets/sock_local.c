/*
 * sock_local.c: speaking on a connection between two sockets of the SUT: a TCP connection to itself, a
 * connection in the Unix domain, a pair. Each end keeps what the other has sent and nobody has read
 * (sock_data.c); nothing is under way, because in Linux, too, loopback delivers before send returns.
 *
 * s->shut is Linux's sk_shutdown, s->error its sk_err. The two families differ in how one end learns of the
 * other's end:
 *
 *              Unix                                   TCP
 *   shutdown   bits of both ends are set              SHUT_WR: the other end has read all (fin_seen)
 *   close      bits of both ends are set;             the same; what the other end sends is answered by a
 *              ECONNRESET there if data was unread    reset; data unread: a reset at once
 *
 * After a reset, and when both have sent their FIN, a TCP connection is over: Linux has it in state CLOSE.
 *
 * Given up: Linux counts a sender's buffer in memory used, so that it holds a few hundred tiny messages or
 * some hundred KiB of large ones, and TCP's grows. Here it is SOCK_ROOM bytes.
 */
#include "runtime/sched/op_classes.h"
#include "runtime/vkernel/sockets/sock.h"
#include "runtime/vkernel/sockets/sock_abi.h"

static bool is_unix(const struct vk_sock *s)
{
	return s->family == NET_UNIX;
}

static bool is_stream(const struct vk_sock *s)
{
	return s->type == NET_STREAM;
}

struct vk_sock *sock_partner(const struct vk_sock *s)
{
	return s->partner ? &vk->sock[s->partner - 1] : NULL;
}

bool sock_local_over(const struct vk_sock *s)
{
	return !is_unix(s) && (s->was_reset || ((s->shut & SHUT_WRITE) && s->fin_seen));
}

void sock_local_reset(struct vk_sock *s)
{
	if (sock_local_over(s))
		return;
	sock_declare(s);
	s->error = s->fin_seen ? EPIPE : ECONNRESET;
	s->was_reset = 1;
	s->shut = SHUT_READ | SHUT_WRITE;
	sock_wake(s, 0);
}

static long take_error(struct vk_sock *s)
{
	long err = -(long)s->error;
	s->error = 0;
	return err;
}

/* ---- receiving ---- */

/* Nothing is held: is that for ever, or is there something else to say? */
static bool is_ended(const struct vk_sock *s)
{
	return s->error || s->fin_seen || (s->shut & SHUT_READ);
}

/* TCP waits for all of a message that is only looked at; the Unix domain doesn't. */
static u32 needed(const struct vk_sock *s, u64 bytes, u32 flags)
{
	const u32 both = MSG_PEEK_ | MSG_WAITALL_;
	return !is_unix(s) && (flags & both) == both ? (u32)HD_MIN(bytes, (u64)SOCK_ROOM) : 1;
}

static bool local_can_recv(const struct vk_desc *d, const struct op *o)
{
	const struct vk_sock *s = sock_of(d);
	return s->held >= needed(s, o->arg, o->n) || is_ended(s);
}

static long receive_end(struct vk_sock *s)
{
	if (s->error && (is_unix(s) || !s->fin_seen))
		return take_error(s);
	s->end_told = is_ended(s);
	return s->end_told ? 0 : -EAGAIN;
}

static void tell_sender(const struct vk_sock *s, struct net_address *from)
{
	if (is_unix(s) && s->remote.path_len)
		*from = s->remote;
}

static u32 stream_take(struct vk_sock *s, struct vk_uio *u, u32 flags)
{
	u32 n;
	if (!is_unix(s) && (flags & MSG_TRUNC_)) { /* TCP: thrown away unseen */
		n = (u32)HD_MIN((size_t)s->held, u->left);
		u->left -= n;
	} else {
		n = sock_data_get(s, u);
	}
	if (!(flags & MSG_PEEK_))
		sock_data_drop(s, n);
	return n;
}

static long stream_recv(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u32 flags,
			struct net_address *from)
{
	struct vk_sock *s = sock_of(d);
	u64 low_water = HD_MAX(s->options.low_water, 1u);
	u64 target = flags & MSG_WAITALL_ ? u->left : HD_MIN((u64)u->left, low_water);
	long done = 0;
	do {
		if (sock_step(c, d, OP_RECV, u->left, flags, 0) == VK_RESTART)
			return VK_RESTART;
		if (!s->held)
			return done ? done : receive_end(s);
		done += stream_take(s, u, flags);
		tell_sender(s, from);
		if (u->faulted)
			break;
	} while ((u64)done < target && !(flags & MSG_PEEK_) && !sock_nonblocking(d, flags));
	return done;
}

static long packet_recv(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u32 flags,
			struct net_address *from, u32 *out_flags)
{
	struct vk_sock *s = sock_of(d);
	if (sock_step(c, d, OP_RECV, u->left, flags, 0) == VK_RESTART)
		return VK_RESTART;
	if (s->error || !s->held)
		return receive_end(s);
	tell_sender(s, from);
	return sock_record_take(s, u, flags, from, out_flags);
}

static long local_recv(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u32 flags,
		       struct net_address *from, u32 *out_flags)
{
	const struct vk_sock *s = sock_of(d);
	if (flags & MSG_OOB_)
		return is_stream(s) ? -EINVAL : -EOPNOTSUPP;
	return is_stream(s) ? stream_recv(c, d, u, flags, from)
			    : packet_recv(c, d, u, flags, from, out_flags);
}

/* ---- sending ---- */

static bool is_broken(const struct vk_sock *s)
{
	return s->error || (s->shut & SHUT_WRITE);
}

/* TCP: nobody reads there any more, which only a reset tells. */
static bool is_unheard(const struct vk_sock *s)
{
	const struct vk_sock *other = sock_partner(s);
	return !other || (!is_unix(s) && other->shut == (SHUT_READ | SHUT_WRITE));
}

static bool local_can_send(const struct vk_desc *d, const struct op *o)
{
	const struct vk_sock *s = sock_of(d);
	if (is_broken(s) || is_unheard(s))
		return true;
	u64 need = is_stream(s) ? 1 : sock_record_size(o->arg, NULL);
	return sock_data_room(sock_partner(s)) >= need;
}

static long send_unheard(struct vk_sock *s, size_t bytes)
{
	struct vk_sock *other = sock_partner(s);
	if (bytes && other)
		sock_local_reset(other);
	if (bytes)
		sock_local_reset(s);
	return (long)bytes;
}

/* The Unix domain looks at its bits first. */
static long stream_broken(struct vk_call *c, struct vk_sock *s, u32 flags)
{
	long err = is_unix(s) ? -EPIPE : take_error(s);
	return err && err != -EPIPE ? err : sock_broken(c, flags);
}

static long stream_send(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u32 flags)
{
	struct vk_sock *s = sock_of(d);
	long done = 0;
	do {
		if (sock_step(c, d, OP_SEND, u->left, flags, 0) == VK_RESTART)
			return VK_RESTART;
		if (is_broken(s))
			return done ? done : stream_broken(c, s, flags);
		if (is_unheard(s) && !vk_uio_readable(u))
			return done ? done : -EFAULT;
		if (is_unheard(s))
			return done + send_unheard(s, u->left);
		u32 n = sock_data_put(sock_partner(s), u);
		if (!n && u->left)
			return done ? done : u->faulted ? -EFAULT : -EAGAIN;
		done += n;
	} while (u->left && !u->faulted && !sock_nonblocking(d, flags));
	return done;
}

static long packet_send(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u32 flags)
{
	struct vk_sock *s = sock_of(d);
	if (sock_record_size(u->left, NULL) > SOCK_ROOM) {
		vk_refuse(c, "send (a message above 64 KiB)");
		return -EMSGSIZE;
	}
	if (sock_step(c, d, OP_SEND, u->left, flags, 0) == VK_RESTART)
		return VK_RESTART;
	if (s->error)
		return take_error(s);
	if (s->shut & SHUT_WRITE)
		return -EPIPE; /* and no signal: that is for streams */
	struct vk_sock *other = sock_partner(s);
	if (sock_record_size(u->left, NULL) > sock_data_room(other))
		return -EAGAIN;
	return sock_record_put(other, u, NULL);
}

static long local_send(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u32 flags,
		       const struct net_address *to)
{
	const struct vk_sock *s = sock_of(d);
	if (flags & MSG_OOB_) {
		vk_refuse(c, "send (MSG_OOB)");
		return -EOPNOTSUPP;
	}
	if (to && is_unix(s) && is_stream(s))
		return -EISCONN;
	return is_stream(s) ? stream_send(c, d, u, flags) : packet_send(c, d, u, flags);
}

/* ---- the object ---- */

static bool is_writable(const struct vk_sock *s)
{
	const struct vk_sock *other = sock_partner(s);
	return (!is_unix(s) && (s->shut & SHUT_WRITE)) || !other || sock_data_room(other) > 0;
}

static u32 local_poll(const struct vk_desc *d)
{
	const struct vk_sock *s = sock_of(d);
	u32 mask = s->error ? POLLERR : 0;
	if (s->shut == (SHUT_READ | SHUT_WRITE) || sock_local_over(s))
		mask |= POLLHUP;
	if (s->shut & SHUT_READ)
		mask |= POLLIN | POLLRDNORM | POLLRDHUP;
	if (s->held && (is_unix(s) || s->held >= s->options.low_water))
		mask |= POLLIN | POLLRDNORM;
	if (is_writable(s))
		mask |= POLLOUT | POLLWRNORM | (is_unix(s) ? POLLWRBAND : 0);
	return mask;
}

static long bytes_pending(const struct vk_desc *d)
{
	const struct vk_sock *s = sock_of(d);
	u32 bytes = s->held;
	if (!is_stream(s))
		sock_record_count(s, &bytes);
	return bytes;
}

static long local_pending(struct vk_call *c, const struct vk_desc *d)
{
	(void)c;
	return bytes_pending(d);
}

static bool has_descriptor(u32 slot)
{
	for (u32 i = 0; i < vk->fd_limit; i++)
		if (vk->fd[i].desc == slot + 1)
			return true;
	return false;
}

static void local_describe(const struct vk_desc *d, struct text *t)
{
	const struct vk_sock *s = sock_of(d);
	vk_describe_desc(d, t);
	if (!s->partner) {
		text_str(t, ", whose other end is closed");
	} else if (!has_descriptor(s->partner - 1)) {
		text_str(t, ", a connection not yet accepted");
	} else {
		text_str(t, ", connected to ");
		vk_describe_desc(&vk->desc[s->partner - 1], t);
	}
	if (s->remote.port || s->remote.path_len) {
		text_str(t, " (");
		sock_describe_address(&s->remote, t);
		text_str(t, ")");
	}
	if (s->held) {
		text_fmt(t, ", with %ld bytes to read", bytes_pending(d));
	}
}

const struct sock_ops sock_local_ops = {
	.send = local_send,
	.recv = local_recv,
	.poll = local_poll,
	.pending = local_pending,
	.shutdown = sock_local_shutdown,
	.release = sock_local_release,
	.can_send = local_can_send,
	.can_recv = local_can_recv,
	.describe = local_describe,
};
