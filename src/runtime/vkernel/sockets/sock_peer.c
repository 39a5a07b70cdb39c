/*
 * sock_peer.c: connections to peers: two positions in a tree of the I/O cache. What the peer has said by now
 * is asked anew each time (net_ask), or looked up where nothing may be asked (net_look); nothing of it is
 * kept here, so that the state of a connection is its positions, what has arrived (sock_arrival.c) and what
 * was told of its end.
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
	sock_peer_ask(s, &flags);
	if (!(flags & NET_RESET) || s->was_reset)
		return 0;
	s->was_reset = 1;
	return s->fin_seen || (flags & NET_EOF) ? EPIPE : ECONNRESET;
}

bool sock_peer_over(const struct vk_sock *s)
{
	u32 flags = 0;
	sock_peer_ask(s, &flags);
	return (flags & NET_RESET) || ((flags & NET_EOF) && (s->shut & SHUT_WRITE));
}

/* ---- receiving ---- */

/*
 * The ways in which the network can have gone on for a step OP_RECV: those that it has as outcomes; 0: it
 * waits. how: flags, MSG_DONTWAIT among them where it must not wait.
 */
static u32 recv_ways(const struct vk_sock *s, u64 bytes, u32 how, struct sock_news *n)
{
	const u32 all = MSG_PEEK_ | MSG_WAITALL_;
	u64 have;
	u32 flags;
	bool waits = !(how & MSG_DONTWAIT_);
	bool known = sock_peer_look(s, &have, &flags), ended = flags & (NET_EOF | NET_RESET);
	hd_assert(known || net_has_unknown());
	sock_news_read(s, bytes, n);
	if (waits && (how & MSG_WAITALL_)) { /* it goes on until it has all: how it comes does not matter */
		n->count = 1;
		n->way[0].bytes = have;
		n->way[0].ended = ended;
		u64 need = (how & all) == all ? HD_MAX(bytes, (u64)1) : 1;
		return have >= need || ended || (s->shut & SHUT_READ);
	}
	bool ready = n->way[0].bytes || n->way[0].ended;
	bool must_come = waits || sock_always(NET_READ_ALWAYS);
	if (!ready && n->count > 1 &&
	    (must_come || sock_retries_over(s->failed_in))) { /* the first is that nothing has come */
		n->count--;
		for (u32 i = 0; i < n->count; i++)
			n->way[i] = n->way[i + 1];
		ready = true;
	}
	return ready || !waits || (s->shut & SHUT_READ) ? n->count : 0;
}

static u32 peer_recv_outcomes(const struct vk_desc *d, const struct op *o)
{
	struct sock_news n;
	return recv_ways(sock_of(d), o->arg, o->n, &n);
}

void sock_describe_peer_recv(const struct op *o, u32 alt, struct text *t)
{
	const struct vk_sock *s = (const struct vk_sock *)o->object;
	u8 data[SOCK_SHOWN];
	struct sock_news ways;
	u64 have;
	u32 flags;
	u32 count = recv_ways(s, o->arg, o->n, &ways);
	sock_peer_look(s, &have, &flags);
	const struct sock_arrival *a = &ways.way[alt < count ? alt : 0];
	u64 n = HD_MIN(a->bytes, o->arg);
	text_str(t, ": ");
	if (n) {
		net_copy(&s->pos, 0, data, HD_MIN(n, (u64)SOCK_SHOWN));
		sock_describe_data(data, n, t);
		if (n < HD_MIN(have, o->arg))
			text_fmt(t, " (%lu more %s on the way)", have - n, have - n == 1 ? "is" : "are");
	} else {
		text_str(t, !a->ended           ? have || flags ? "nothing has arrived yet" : "nothing"
			    : flags & NET_EOF   ? "the peer has closed it"
			    : s->broken         ? "the network has reset it"
			    : flags & NET_RESET ? "the peer has reset it"
						: "nothing");
	}
}

/* flags: of what has arrived. */
static long at_end(struct vk_sock *s, u32 flags)
{
	if (!(flags & (NET_EOF | NET_RESET)))
		return (s->shut & SHUT_READ) ? 0 : -EAGAIN;
	if (flags & NET_EOF)
		s->fin_seen = 1;
	if (s->fin_seen)
		return 0;
	if ((flags & NET_RESET) && !s->was_reset) {
		s->was_reset = 1;
		return -ECONNRESET;
	}
	return 0;
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

/*
 * With way number `alt` of those that the step had. *more: something was delivered before, so the end is not
 * told yet.
 */
static HD_NOINLINE long take(struct vk_desc *d, u32 how, u32 alt, struct vk_uio *u, bool more)
{
	struct vk_sock *s = sock_of(d);
	struct sock_news ways;
	u64 have, known = s->arrived;
	u32 state;
	sock_resolve(d);
	hd_assert(alt < HD_MAX(recv_ways(s, u->left, how, &ways), 1u));
	sock_peer_look(s, &have, &state);
	struct sock_arrival a = ways.way[alt];
	have = HD_MIN(have, a.bytes);
	if ((how & (MSG_DONTWAIT_ | MSG_PEEK_)) || (a.ended && !have))
		sock_arrive(d, &a); /* else it leaves nothing behind: sock_arrival.c, A4 */
	if (how & MSG_DONTWAIT_)
		sock_count_attempt(&s->failed_in, !have && !a.ended);
	if (!have)
		return more ? 0 : at_end(s, a.ended ? state : 0);
	u64 n = HD_MIN(have, (u64)u->left);
	if (how & MSG_TRUNC_) /* TCP: thrown away unseen */
		u->left -= n;
	else
		copy_out(s, u, n);
	if (how & MSG_PEEK_)
		return (long)n;
	s->pos.read += n;
	if (s->pos.read >= s->message_end)
		s->message_end = 0;
	u64 arrived = how & MSG_DONTWAIT_ ? s->arrived : known;
	s->arrived = arrived - HD_MIN(arrived, n);
	return (long)n;
}

static long peer_recv(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u32 flags,
		      struct net_address *from, u32 *out_flags)
{
	long done = 0, n;
	(void)from;
	(void)out_flags;
	if (flags & MSG_OOB_)
		return -EINVAL;
	u32 how = flags | (sock_nonblocking(d, flags) ? MSG_DONTWAIT_ : 0);
	do {
		long alt = sock_step(c, d, OP_RECV, u->left, how, (u64)u);
		if (alt == VK_RESTART)
			return alt;
		if (alt == ALT_TIMEOUT)
			return done ? done : -EAGAIN;
		n = take(d, how, (u32)alt, u, done > 0);
		done += HD_MAX(n, 0L);
	} while (n > 0 && (flags & MSG_WAITALL_) && u->left && !(how & (MSG_PEEK_ | MSG_DONTWAIT_)));
	return done ? done : n;
}

/* ---- sending ---- */

/*
 * Who does not wait may find that there is room for a part only, and then that there is none, until the
 * network has made some. Where nothing is known to be under way, Linux has room for a small message, always:
 * EAGAIN comes behind a short write. Outcomes: all; half of it; all but one byte; none.
 */
#define SEND_WHOLE 4096u /* about the least that SO_SNDBUF can be */

static u32 send_ways(const struct vk_sock *s, u64 bytes, u32 how, u64 *amount)
{
	u32 n = 0;
	bool parts = (how & MSG_DONTWAIT_) && sock_short_io() && !sock_always(NET_WRITE_ALWAYS);
	if (!s->broken && net_is_full(&s->pos)) {
		amount[n] = 0;
		return how & MSG_DONTWAIT_ ? 1 : 0;
	}
	amount[n++] = bytes;
	if (parts && bytes > SEND_WHOLE) {
		amount[n++] = bytes / 2;
		amount[n++] = bytes - 1;
	}
	if (s->full && (how & MSG_DONTWAIT_) && !sock_always(NET_WRITE_ALWAYS) &&
	    !sock_retries_over(s->failed_out))
		amount[n++] = 0;
	return n;
}
#define SEND_WAYS 4

static u32 peer_send_outcomes(const struct vk_desc *d, const struct op *o)
{
	u64 amount[SEND_WAYS];
	return send_ways(sock_of(d), o->arg, o->n, amount);
}

void sock_describe_peer_send(const struct op *o, u32 alt, struct text *t)
{
	u64 amount[SEND_WAYS];
	u32 n = send_ways((const struct vk_sock *)o->object, o->arg, o->n, amount);
	if (alt >= n || amount[alt] == o->arg)
		return;
	text_str(t, ": there is room for ");
	text_dec(t, (long)amount[alt]);
}

/* Less than that is in the way of nobody: the smallest buffers that are in use hold it. */
#define FLOOD 65536u
static bool floods; /* persistent */

bool vk_saw_floods(void)
{
	return floods;
}

/*
 * A peer that has said more than fits between the two waits in its own send, in reality, and does not read
 * meanwhile; unless it does so in another thread. Here it goes on. Who sends so much as well, and does not
 * read, may wait for ever, which would not be seen. How much fits is not known: with less than NET_ROOM it is
 * a note.
 */
static void note_flood(const struct vk_call *c, struct vk_sock *s, u64 unread)
{
	if (hd_likely(unread < FLOOD)) {
		s->flood_written = s->flood_read = 0;
	} else if (!s->flood_written || s->flood_read != s->pos.read) {
		s->flood_written = s->pos.written + 1;
		s->flood_read = s->pos.read;
	} else if (unread >= NET_ROOM && s->pos.written >= s->flood_written + NET_ROOM) {
		vk_refuse(c, "send (2 MiB to a peer whose own 2 MiB are not read)");
	} else {
		floods |= s->pos.written >= s->flood_written + FLOOD;
	}
}

/* 0: it can be written to. */
static long closed_for_sending(struct vk_call *c, struct vk_sock *s, u32 flags)
{
	u32 state = 0;
	u64 have = sock_peer_ask(s, &state);
	if (state & NET_EOF)
		s->fin_seen = 1;
	if (have && !s->message_end && sock_short_io())
		s->message_end = s->pos.read + have;
	note_flood(c, s, state & NET_RESET ? 0 : have);
	if ((state & NET_RESET) && !s->was_reset) {
		s->was_reset = 1;
		if (flags & MSG_DONTWAIT_) {
			s->end_arrived = 1;
			s->arrived = have;
		}
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
			sock_joint_moved(s);
			done += err ? 0 : (long)n;
		}
		if (err)
			return done ? done : err;
	}
	return done;
}

/* There is room for so many of the bytes that are left. */
static long send_amount(struct vk_call *c, struct vk_sock *s, struct vk_uio *u, u32 how, u64 amount)
{
	u64 rest = u->left - amount;
	if (how & MSG_DONTWAIT_)
		sock_count_attempt(&s->failed_out, rest && !amount);
	if (rest && !amount)
		return -EAGAIN;
	if (!amount)
		return closed_for_sending(c, s, how);
	u->left = amount;
	long done = write_pieces(c, s, u, how);
	u->left += rest;
	if (done < 0)
		return done;
	if (s->full && !rest)
		sock_wake(s, POLLOUT | POLLWRNORM);
	s->full = rest != 0;
	return done;
}

static HD_NOINLINE long send_part(struct vk_call *c, struct vk_sock *s, struct vk_uio *u, u32 how, u32 alt)
{
	u64 amount[SEND_WAYS];
	send_ways(s, u->left, how, amount);
	return send_amount(c, s, u, how, amount[alt]);
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
	u32 how = flags | (sock_nonblocking(d, flags) ? MSG_DONTWAIT_ : 0);
	u64 bytes = u->left;
	long alt = sock_step(c, d, OP_SEND, bytes, how, (u64)u);
	if (alt == VK_RESTART)
		return alt;
	return alt == ALT_TIMEOUT ? -EAGAIN : send_part(c, s, u, how, (u32)alt);
}

static HD_NOINLINE struct vk_uio view_of(const struct vk_desc *in, u64 pos, u64 n, struct iovec *v)
{
	const u8 *at = NULL;
	v->iov_len = HD_MIN((u64)vk_file_view(in, pos, &at), n);
	v->iov_base = (void *)at;
	return (struct vk_uio){.iov = v, .count = 1, .left = v->iov_len};
}

static HD_NOINLINE long send_view(struct vk_call *c, struct vk_sock *s, const struct vk_desc *in, u64 *pos,
				  u64 n, u32 how, u32 alt)
{
	u64 from = *pos, amount[SEND_WAYS];
	struct iovec v;
	struct vk_uio u = view_of(in, from, n, &v);
	send_ways(s, n, how, amount);
	long done = send_amount(c, s, &u, how, HD_MIN(amount[alt], v.iov_len));
	if (done > 0)
		*pos = from + (u64)done;
	return done;
}

long sock_peer_send_file(struct vk_call *c, struct vk_desc *d, const struct vk_desc *in, u64 *pos, u64 n)
{
	u32 how = sock_nonblocking(d, 0) ? MSG_DONTWAIT_ : 0;
	long alt = sock_step(c, d, OP_SEND, n, how, 0);
	if (alt == VK_RESTART)
		return alt;
	return alt == ALT_TIMEOUT ? -EAGAIN : send_view(c, sock_of(d), in, pos, n, how, (u32)alt);
}

/* ---- is it in vain? ---- */

bool sock_peer_recv_in_vain(const struct op *o, u32 alt)
{
	struct sock_news ways;
	return alt >= recv_ways((const struct vk_sock *)o->object, o->arg, o->n, &ways) ||
	       !ways.way[alt].bytes;
}

bool sock_peer_send_in_vain(const struct op *o, u32 alt)
{
	const struct vk_sock *s = (const struct vk_sock *)o->object;
	u64 amount[SEND_WAYS];
	u32 n = send_ways(s, o->arg, o->n, amount);
	return s->was_reset || (s->shut & SHUT_WRITE) || (o->arg && alt < n && !amount[alt]);
}

/* ---- the object ---- */

static u32 peer_poll(const struct vk_desc *d)
{
	struct sock_arrival a = sock_arrival_of(sock_of(d));
	return sock_peer_mask(sock_of(d), &a);
}

/* Behind sock_look. */
static long peer_pending(struct vk_call *c, const struct vk_desc *d)
{
	(void)c;
	return (long)sock_of(d)->arrived;
}

static long peer_shutdown(struct vk_desc *d, u32 how)
{
	struct vk_sock *s = sock_of(d);
	long err = how & SHUT_WRITE ? net_end(&s->pos) : 0;
	sock_joint_moved(s);
	return err;
}

/* A client whose connection is closed may open its next one: whoever accepts after this can get it. */
static void peer_release(struct vk_desc *d)
{
	struct vk_sock *s = sock_of(d);
	if (s->pos.connection) {
		sock_joint_leave(s);
		return;
	}
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
		text_fmt(t, " (client %u)", s->remote.port ? sock_client_of_port(s->remote.port) : client);
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
	.recv_outcomes = peer_recv_outcomes,
	.send_outcomes = peer_send_outcomes,
	.describe = peer_describe,
};
