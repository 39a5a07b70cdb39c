/*
 * sock_peer.c: connections to peers: two positions in a tree of the I/O cache. What the peer has said by now
 * is asked anew each time (net_ask), or looked up where nothing may be asked (net_look); nothing of it is
 * kept here, so that the state of a connection is its positions and what was told of its end.
 *
 * The end, as in Linux's TCP: bytes that came before a FIN or a reset stay readable. After a FIN reads
 * give 0, whatever follows. A reset without one is told once, to whoever reads, writes or asks SO_ERROR
 * first (ECONNRESET; or EPIPE behind a FIN); from then on reads give 0, and writes EPIPE.
 */
#include "runtime/net/net.h"
#include "runtime/sched/op_classes.h"
#include "runtime/vkernel/sockets/sock.h"
#include "runtime/vkernel/sockets/sock_abi.h"

#define READ_PIECE 65536u

/* Not on a fiber's stack. Filled and emptied between two steps. */
static u8 read_piece[READ_PIECE];
static u8 write_piece[NET_DATA];

long sock_peer_error(struct vk_sock *s)
{
	u32 flags = 0;
	net_ask(&s->pos, &flags);
	if (!(flags & NET_RESET) || s->was_reset)
		return 0;
	s->was_reset = 1;
	return s->fin_seen || (flags & NET_EOF) ? EPIPE : ECONNRESET;
}

bool sock_peer_over(const struct vk_sock *s)
{
	u32 flags = 0;
	net_ask(&s->pos, &flags);
	return (flags & NET_RESET) || ((flags & NET_EOF) && (s->shut & SHUT_WRITE));
}

/* ---- receiving ---- */

static bool peer_can_recv(const struct vk_desc *d, const struct op *o)
{
	const u32 all = MSG_PEEK_ | MSG_WAITALL_;
	const struct vk_sock *s = sock_of(d);
	u32 flags;
	u64 have;
	hd_assert(net_look(&s->pos, &have, &flags) || net_has_unknown());
	u64 need = (o->n & all) == all ? HD_MAX(o->arg, (u64)1) : 1;
	return have >= need || (flags & (NET_EOF | NET_RESET)) || (s->shut & SHUT_READ);
}

static long at_end(struct vk_sock *s, u32 flags)
{
	if (flags & NET_EOF)
		s->fin_seen = 1;
	if (s->fin_seen)
		return 0;
	if ((flags & NET_RESET) && !s->was_reset) {
		s->was_reset = 1;
		return -ECONNRESET;
	}
	return (flags & NET_RESET) || (s->shut & SHUT_READ) ? 0 : -EAGAIN;
}

static u64 copy_out(const struct vk_sock *s, struct vk_uio *u, u64 n)
{
	u64 done = 0;
	while (done < n) {
		size_t part = HD_MIN(n - done, (u64)READ_PIECE);
		net_copy(&s->pos, done, read_piece, part);
		done += vk_uio_out(u, read_piece, part);
	}
	return done;
}

/* *more: something was delivered before, so the end is not told yet. */
static HD_NOINLINE long take(struct vk_sock *s, struct vk_uio *u, u32 flags, bool more)
{
	u32 state = 0;
	u64 have = net_ask(&s->pos, &state), n = HD_MIN(have, (u64)u->left);
	if (!have)
		return more ? 0 : at_end(s, state);
	if (flags & MSG_TRUNC_) /* TCP: thrown away unseen */
		u->left -= n;
	else
		copy_out(s, u, n);
	if (!(flags & MSG_PEEK_))
		s->pos.read += n;
	return (long)n;
}

static long peer_recv(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u32 flags,
		      struct net_address *from, u32 *out_flags)
{
	struct vk_sock *s = sock_of(d);
	long done = 0, n;
	(void)from;
	(void)out_flags;
	if (flags & MSG_OOB_)
		return -EINVAL;
	do {
		sock_note_nonblocking(c, d, flags);
		long alt = sock_step(c, d, OP_RECV, u->left, flags, (u64)u);
		if (alt == VK_RESTART)
			return alt;
		if (alt == ALT_TIMEOUT)
			return done ? done : -EAGAIN;
		n = take(s, u, flags, done > 0);
		done += HD_MAX(n, 0L);
	} while (n > 0 && (flags & MSG_WAITALL_) && u->left && !(flags & MSG_PEEK_));
	return done ? done : n;
}

/* ---- sending ---- */

static bool peer_can_send(const struct vk_desc *d, const struct op *o)
{
	(void)o;
	return !net_is_full(&sock_of(d)->pos);
}

/* 0: it can be written to. */
static long closed_for_sending(struct vk_call *c, struct vk_sock *s, u32 flags)
{
	u32 state = 0;
	net_ask(&s->pos, &state);
	if (state & NET_EOF)
		s->fin_seen = 1;
	if ((state & NET_RESET) && !s->was_reset) {
		s->was_reset = 1;
		if (!s->fin_seen)
			return -ECONNRESET;
	}
	return (state & NET_RESET) || (s->shut & SHUT_WRITE) ? sock_broken(c, flags) : 0;
}

static long write_pieces(struct vk_call *c, struct vk_sock *s, struct vk_uio *u, u32 flags)
{
	long done = 0;
	while (u->left && !u->faulted) {
		long err = closed_for_sending(c, s, done ? flags | MSG_NOSIGNAL_ : flags);
		if (!err) {
			size_t n = vk_uio_in(u, write_piece, sizeof(write_piece));
			err = net_write(&s->pos, write_piece, n);
			done += err ? 0 : (long)n;
		}
		if (err)
			return done ? done : err;
	}
	return done;
}

static long peer_send(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u32 flags,
		      const struct net_address *to)
{
	struct vk_sock *s = sock_of(d);
	if (flags & MSG_OOB_) {
		vk_refuse(c, "send (MSG_OOB)");
		return -EOPNOTSUPP;
	}
	if (to && s->family == NET_UNIX)
		return -EISCONN;
	sock_note_nonblocking(c, d, flags);
	long alt = sock_step(c, d, OP_SEND, u->left, flags, (u64)u);
	if (alt == VK_RESTART)
		return alt;
	if (alt == ALT_TIMEOUT || net_is_full(&s->pos)) /* the latter: it must not wait */
		return -EAGAIN;
	return u->left ? write_pieces(c, s, u, flags) : closed_for_sending(c, s, flags);
}

static HD_NOINLINE long send_view(struct vk_call *c, struct vk_sock *s, const struct vk_desc *in, u64 *pos,
				  u64 n)
{
	const u8 *at = NULL;
	u64 from = *pos;
	struct iovec v = {.iov_len = HD_MIN((u64)vk_file_view(in, from, &at), n)};
	v.iov_base = (void *)at;
	struct vk_uio u = {.iov = &v, .count = 1, .left = v.iov_len};
	long done = write_pieces(c, s, &u, 0);
	if (done > 0)
		*pos = from + (u64)done;
	return done;
}

long sock_peer_send_file(struct vk_call *c, struct vk_desc *d, const struct vk_desc *in, u64 *pos, u64 n)
{
	sock_note_nonblocking(c, d, 0);
	long alt = sock_step(c, d, OP_SEND, n, 0, 0);
	if (alt == VK_RESTART)
		return alt;
	if (alt == ALT_TIMEOUT || net_is_full(&sock_of(d)->pos))
		return -EAGAIN;
	return send_view(c, sock_of(d), in, pos, n);
}

/* ---- the object ---- */

static u32 peer_poll(const struct vk_desc *d)
{
	const struct vk_sock *s = sock_of(d);
	u32 flags, mask = net_is_full(&s->pos) ? 0 : POLLOUT | POLLWRNORM;
	u64 have;
	net_look(&s->pos, &have, &flags);
	bool ends = (flags & (NET_EOF | NET_RESET)) || (s->shut & SHUT_READ);
	if (have >= HD_MAX(s->options.low_water, 1u) || ends)
		mask |= POLLIN | POLLRDNORM;
	if (ends)
		mask |= POLLRDHUP;
	if ((flags & NET_RESET) || (ends && (s->shut & SHUT_WRITE)))
		mask |= POLLHUP;
	if ((flags & NET_RESET) && !s->was_reset)
		mask |= POLLERR;
	return mask;
}

static long peer_pending(struct vk_call *c, const struct vk_desc *d)
{
	(void)c;
	u32 flags = 0;
	return (long)net_ask(&sock_of(d)->pos, &flags);
}

static long peer_shutdown(struct vk_desc *d, u32 how)
{
	struct vk_sock *s = sock_of(d);
	return how & SHUT_WRITE ? net_end(&s->pos) : 0;
}

/* A client whose connection is closed may open its next one: whoever accepts after this can get it. */
static void peer_release(struct vk_desc *d)
{
	struct vk_sock *s = sock_of(d);
	vk_declare(VK_PARTED, ACCESS_ADD);
	vk->parted |= !net_client_of(&s->pos);
	if (s->client && net_comes_again(&s->pos)) {
		struct cache_pos last = s->pos;
		last.read = 0; /* what the SUT has read of it does not matter to the client */
		vk_declare(VK_CLIENTS, ACCESS_WRITE);
		vk->client_last[s->client - 1] = last;
	}
	net_close(&s->pos);
}

static void peer_describe(const struct vk_desc *d, struct text *t)
{
	const struct vk_sock *s = sock_of(d);
	text_str(t, "connection ");
	sock_describe_number(d, t);
	u32 client = net_client_of(&s->pos); /* 1, whoever it is, if all share one tree */
	if (client) {
		text_str(t, " (client ");
		text_dec(t, s->remote.port ? s->remote.port - SOCK_CLIENT_PORT : client);
		text_str(t, ")");
	} else {
		text_str(t, " to ");
		sock_describe_address(&s->remote, t);
	}
}

const struct sock_ops sock_peer_ops = {
	.send = peer_send,
	.recv = peer_recv,
	.poll = peer_poll,
	.pending = peer_pending,
	.shutdown = peer_shutdown,
	.release = peer_release,
	.can_recv = peer_can_recv,
	.can_send = peer_can_send,
	.describe = peer_describe,
};
