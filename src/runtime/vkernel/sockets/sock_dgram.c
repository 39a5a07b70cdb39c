/*
 * sock_dgram.c: datagrams: UDP and the Unix domain, between sockets of the SUT; what has no receiver there
 * goes to peers (sock_dgram_peer.c).
 *
 * A receiver keeps its datagrams with their senders' names, in the order of sending. UDP, in Linux, throws
 * away what does not fit; the Unix domain lets the sender wait, unless the receiver is connected back to it.
 *
 * connected        UDP                            Unix domain
 *   s->remote      where everything goes, and     the same
 *                  who alone is heard
 *   s->partner                                    the socket itself; 0: it was closed meanwhile
 */
#include "runtime/net/net.h"
#include "runtime/sched/op_classes.h"
#include "runtime/vkernel/sockets/sock.h"
#include "runtime/vkernel/sockets/sock_abi.h"

#define UDP_MAX 65507u
#define UNIX_QUEUE 10u /* net.unix.max_dgram_qlen: one more fits */

static bool is_unix(const struct vk_sock *s)
{
	return s->family == NET_UNIX;
}

static u32 slot_of(const struct vk_sock *s)
{
	return (u32)(s - vk->sock);
}

static long take_error(struct vk_sock *s)
{
	long err = -(long)s->error;
	s->error = 0;
	return err;
}

/* ---- who gets it? ---- */

static bool same_address(const struct net_address *a, const struct net_address *b)
{
	struct net_address x = sock_address_plain(a), y = sock_address_plain(b);
	return x.family == y.family && x.port == y.port && !memcmp(x.ip, y.ip, sizeof(x.ip));
}

static const u8 loopback6[16] = {[15] = 1}, loopback4[16] = {127, 0, 0, 1};

/*
 * The sender's name as receiver r sees it: who is bound to any address speaks from this machine's, in the
 * language of the address that it sends to. So does who has got an address of the other language when it was
 * connected, once.
 */
static struct net_address udp_source(const struct vk_sock *s, const struct vk_sock *r,
				     const struct net_address *to)
{
	struct net_address a = s->local;
	bool six = sock_address_plain(to).family == NET_INET6;
	a.type = NET_DGRAM;
	if (sock_address_is_any(&a) || (sock_address_plain(&a).family == NET_INET6) != six) {
		a.family = six ? NET_INET6 : NET_INET;
		memcpy(a.ip, six ? loopback6 : loopback4, sizeof(a.ip));
	}
	return sock_address_in_family(r->family, &a);
}

/* 0: not for this one; a connected receiver comes before one that hears everybody. */
static u32 udp_fits(const struct vk_sock *r, const struct vk_sock *s, const struct net_address *to)
{
	if (r->flavour != SOCK_DATAGRAM || is_unix(r) || !sock_is_reached(r, to))
		return 0;
	if (!r->remote.family)
		return 1;
	struct net_address from = udp_source(s, r, to);
	return same_address(&from, &r->remote) ? 2 : 0;
}

static struct vk_sock *udp_receiver(const struct vk_sock *s, const struct net_address *to)
{
	struct vk_sock *best = NULL;
	u32 fits = 0;
	for (u32 i = 0; i < vk->desc_limit; i++) {
		u32 how = vk->sock[i].used ? udp_fits(&vk->sock[i], s, to) : 0;
		if (how > fits) {
			best = &vk->sock[i];
			fits = how;
		}
	}
	return best;
}

static struct vk_sock *abstract_receiver(const struct net_address *to, long *err)
{
	for (u32 i = 0; i < vk->desc_limit; i++) {
		struct vk_sock *r = &vk->sock[i];
		if (!r->used || !is_unix(r) || !r->bound || !sock_address_reaches(&r->local, to))
			continue;
		*err = r->type == NET_DGRAM ? 0 : -EPROTOTYPE;
		return *err ? NULL : r;
	}
	*err = -ECONNREFUSED;
	return NULL;
}

static struct vk_sock *unix_receiver(const struct vk_call *c, const struct net_address *to, long *err)
{
	if (!to->path_len) {
		*err = -EINVAL;
		return NULL;
	}
	if (!to->path[0])
		return abstract_receiver(to, err);
	struct vk_desc *d = sock_at_path(to, err);
	if (!d) {
		if (!*err) {
			vk_refuse(c, "datagrams of the Unix domain to another process");
			*err = -ECONNREFUSED;
		}
		return NULL;
	}
	*err = sock_of(d)->type == NET_DGRAM ? 0 : -EPROTOTYPE;
	return *err ? NULL : sock_of(d);
}

/* A receiver that is connected hears its partner alone. */
static bool may_send(const struct vk_sock *s, const struct vk_sock *r)
{
	return !r->remote.family || r->partner == slot_of(s) + 1;
}

/* ---- connecting ---- */

/* Who is bound to an address of IPv4 by way of IPv6 does not reach IPv6, and the other way round. */
static bool speaks_four_only(const struct vk_sock *s)
{
	return s->local.family == NET_INET6 && sock_address_plain(&s->local).family == NET_INET;
}

static bool speaks_six_only(const struct vk_sock *s)
{
	return s->family == NET_INET6 && sock_option(s, SOCK_ONLY_IPV6);
}

static bool is_beyond(const struct vk_sock *s, const struct net_address *to)
{
	return speaks_four_only(s) && sock_address_plain(to).family == NET_INET6 && !sock_address_is_any(to);
}

/* Any address is this machine's, in the language that the socket speaks. */
static struct net_address meant_by(const struct vk_sock *s, const struct net_address *to)
{
	struct net_address a = *to;
	if (a.family == NET_INET6 && sock_address_is_any(to) && speaks_four_only(s)) {
		a.family = NET_INET;
		memcpy(a.ip, loopback4, sizeof(a.ip));
	}
	return a;
}

/* What others had sent is lost when the partner changes, and a partner that was connected back is told. */
static void disconnect_unix(struct vk_sock *s)
{
	struct vk_sock *old = sock_partner(s);
	s->partner = 0;
	s->remote = (struct net_address){0};
	if (!s->held)
		return;
	sock_data_drop(s, s->held);
	if (old && old->partner == slot_of(s) + 1) {
		sock_declare(old);
		old->error = ECONNRESET;
	}
}

static long connect_unix(struct vk_call *c, struct vk_sock *s, const struct net_address *to)
{
	long err = 0;
	struct vk_sock *r = to->family ? unix_receiver(c, to, &err) : NULL;
	if (err)
		return err;
	if (r && !may_send(s, r))
		return -EPERM;
	if (s->remote.family && (!r || sock_partner(s) != r))
		disconnect_unix(s);
	if (!r)
		return 0;
	s->partner = slot_of(r) + 1;
	s->remote = r->local;
	s->remote.family = NET_UNIX;
	return 0;
}

/* What only connect gave it, it gives back: the address, the port. */
static void end_connection(struct vk_desc *d)
{
	struct vk_sock *s = sock_of(d);
	if (s->remote.family)
		s->was_four = s->family == NET_INET6 && sock_address_plain(&s->remote).family == NET_INET;
	s->remote = (struct net_address){0};
	if (!s->keeps_ip)
		memset(s->local.ip, 0, sizeof(s->local.ip));
	if (s->local.port != SOCK_EPHEMERAL + vk_desc_slot(d))
		return;
	s->local.port = 0;
	s->bound = 0;
}

static long dgram_connect(struct vk_call *c, struct vk_desc *d, const struct net_address *to)
{
	struct vk_sock *s = sock_of(d);
	sock_declare(s);
	if (is_unix(s))
		return connect_unix(c, s, to);
	if (to->family == NET_INET && speaks_six_only(s))
		return -EAFNOSUPPORT;
	if (to->family && is_beyond(s, to))
		return -EAFNOSUPPORT;
	if (sock_is_cut_off(s, to))
		return -ENETUNREACH;
	sock_declare_port(&s->local, ACCESS_WRITE); /* who sends there may reach it no more, or again */
	if (to->family) {
		struct net_address there = meant_by(s, to);
		there = sock_address_plain(&there);
		sock_clients_note_connect(c, s, to);
		sock_bind_ephemeral(d, to);
		s->remote = sock_address_in_family(s->family, &there);
		s->was_four = 0;
	} else {
		end_connection(d);
	}
	sock_dgram_peer_note_connect(c, s);
	return 0;
}

/* ---- sending ---- */

static bool has_room(const struct vk_sock *s, const struct vk_sock *r, u64 bytes)
{
	u32 in_use;
	if (sock_data_room(r) < sock_record_size(bytes, &s->local))
		return false;
	return !is_unix(s) || r == s || r->partner == slot_of(s) + 1 ||
	       sock_record_count(r, &in_use) <= UNIX_QUEUE;
}

/* arg2: the receiver's slot + 1; it may have gone meanwhile. */
static bool dgram_can_send(const struct vk_desc *d, const struct op *o)
{
	const struct vk_sock *s = sock_of(d);
	if (!o->arg2 || s->error || (s->shut & SHUT_WRITE))
		return true;
	const struct vk_sock *r = &vk->sock[o->arg2 - 1];
	return r->flavour != SOCK_DATAGRAM || (r->shut & SHUT_READ) || has_room(s, r, o->arg);
}

static struct vk_sock *find_unix(const struct vk_call *c, struct vk_sock *s, const struct net_address *to,
				 long *err)
{
	struct vk_sock *r = NULL;
	*err = 0;
	if (to)
		r = unix_receiver(c, to, err);
	else if (!s->remote.family)
		*err = -ENOTCONN;
	else if (!(r = sock_partner(s)))
		*err = -ECONNREFUSED;
	if (r && !may_send(s, r))
		*err = -EPERM;
	else if (r && (r->shut & SHUT_READ))
		*err = -EPIPE;
	return *err ? NULL : r;
}

static HD_NOINLINE u64 send_blocker(const struct vk_call *c, struct vk_sock *s, const struct net_address *to)
{
	long err;
	const struct vk_sock *r = find_unix(c, s, to, &err);
	return r ? slot_of(r) + 1 : 0;
}

/* Linux has made the message by then; that it takes it back is room, and an edge. */
static long take_back(const struct vk_sock *s, long err)
{
	sock_wake(s, POLLOUT | POLLWRNORM | POLLWRBAND);
	return err;
}

static long send_unix(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u32 flags,
		      const struct net_address *to)
{
	struct vk_sock *s = sock_of(d), *r;
	long err;
	if (to) {
		sock_path_use(c, to);
		sock_port_look(c, to);
	}
	do {
		if (sock_step(c, d, OP_SEND, u->left, flags, send_blocker(c, s, to)) == VK_RESTART)
			return VK_RESTART;
		if (to) {
			sock_path_use(c, to);
			sock_port_look(c, to);
		}
		if (s->error)
			return take_error(s);
		if (s->shut & SHUT_WRITE)
			return -EPIPE;
		if (!vk_uio_readable(u))
			return take_back(s, -EFAULT);
		r = find_unix(c, s, to, &err);
		if (err == -ECONNREFUSED && !to)
			disconnect_unix(s);
		if (err)
			return take_back(s, err);
		if (has_room(s, r, u->left))
			return sock_record_put(r, u, &s->local);
	} while (!sock_nonblocking(d, flags) && !s->send_timeout);
	return take_back(s, -EAGAIN);
}

static long deliver_udp(struct vk_call *c, struct vk_sock *s, struct vk_uio *u, struct vk_sock *r,
			const struct net_address *to)
{
	struct net_address from = udp_source(s, r, to);
	if (sock_record_size(u->left, &from) > sock_data_room(r)) {
		vk_refuse(c, "send (more than 64 KiB of datagrams that nobody has read)");
		return (long)u->left;
	}
	return sock_record_put(r, u, &from);
}

/* To a socket of the SUT, or to a peer; the network may lose it, double it, or let it overtake another. */
static long send_datagram(struct vk_call *c, struct vk_sock *s, struct vk_uio *u,
			  const struct net_address *to)
{
	struct vk_sock *r = udp_receiver(s, to);
	u32 fault = s->out_fault;
	s->out_fault = 0;
	if (fault == NET_FAULT_LOSS)
		return vk_uio_readable(u) ? (long)u->left : -EFAULT;
	struct vk_uio again = *u;
	long n = r ? deliver_udp(c, s, u, r, to) : sock_dgram_peer_send(c, s, u, to);
	if (n >= 0 && fault == NET_FAULT_DUPLICATE)
		n = r ? deliver_udp(c, s, &again, r, to) : sock_dgram_peer_send(c, s, &again, to);
	if (n >= 0 && fault == NET_FAULT_REORDER && r)
		sock_record_overtake(r);
	return n;
}

static long send_udp(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u32 flags,
		     const struct net_address *to)
{
	struct vk_sock *s = sock_of(d);
	sock_bind_ephemeral(d, NULL);
	if (to && !to->family && s->family == NET_INET6) /* AF_UNSPEC: as if there were none */
		to = NULL;
	if (to && speaks_six_only(s) && (to->family == NET_INET || sock_is_cut_off(s, to)))
		return -ENETUNREACH;
	if (to && is_beyond(s, to))
		return -EAFNOSUPPORT;
	if (!to && !s->remote.family)
		return -EDESTADDRREQ;
	if (to && !to->port)
		return -EINVAL;
	struct net_address there = {0};
	if (to) {
		there = meant_by(s, to);
		to = &there;
	}
	sock_port_look(c, to ? to : &s->remote);
	if (sock_step(c, d, OP_SEND, u->left, flags, 0) == VK_RESTART)
		return VK_RESTART;
	sock_port_look(c, to ? to : &s->remote);
	if (s->error)
		return take_error(s);
	if (u->left > UDP_MAX)
		return -EMSGSIZE;
	if (s->shut & SHUT_WRITE)
		return -EPIPE;
	if (!vk_uio_readable(u))
		return -EFAULT;
	if (!to)
		to = &s->remote;
	return send_datagram(c, s, u, to);
}

static long dgram_send(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u32 flags,
		       const struct net_address *to)
{
	const struct vk_sock *s = sock_of(d);
	if (flags & MSG_OOB_)
		return -EOPNOTSUPP;
	if (!is_unix(s))
		return send_udp(c, d, u, flags, to);
	if (sock_record_size(u->left, &s->local) > SOCK_ROOM) {
		vk_refuse(c, "send (a message above 64 KiB)");
		return -EMSGSIZE;
	}
	return send_unix(c, d, u, flags, to);
}

/* ---- receiving ---- */

static bool dgram_can_recv(const struct vk_desc *d, const struct op *o)
{
	const struct vk_sock *s = sock_of(d);
	(void)o;
	return s->error || (s->shut & SHUT_READ) || sock_sources(s);
}

static u32 dgram_sources(const struct vk_desc *d)
{
	const struct vk_sock *s = sock_of(d);
	return s->error ? 1 : sock_sources(s);
}

/* Who does not wait may find that nothing has arrived yet: the last outcome. */
static u32 dgram_recv_outcomes(const struct vk_desc *d, const struct op *o)
{
	const struct vk_sock *s = sock_of(d);
	u32 n = dgram_sources(d);
	if (!(o->n & MSG_DONTWAIT_))
		return dgram_can_recv(d, o) ? HD_MAX(n, 1u) : 0;
	bool late = n && !s->error && !s->held && !s->arrived && !sock_always(NET_READ_ALWAYS);
	return HD_MAX(n, 1u) + late;
}

/*
 * The Unix domain: nobody starts a client that could only come to this socket, and waiting for it would look
 * like a deadlock.
 */
static HD_NOINLINE void note_clients(const struct vk_call *c, const struct vk_sock *s)
{
	if (is_unix(s) && s->bound && !s->held && net_next_client(vk->client_taken, 0) &&
	    !sock_somebody_listens(0))
		vk_refuse(c, "recv (datagrams of client peers in the Unix domain)");
}

static long dgram_recv(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u32 flags,
		       struct net_address *from, u32 *out_flags)
{
	struct vk_sock *s = sock_of(d);
	if (flags & MSG_OOB_)
		return is_unix(s) ? -EOPNOTSUPP : -EINVAL;
	note_clients(c, s);
	long alt = sock_step(c, d, OP_RECV, u->left, flags, 0);
	if (alt == VK_RESTART)
		return alt;
	if (alt == ALT_TIMEOUT)
		return -EAGAIN;
	if (s->error)
		return take_error(s);
	u32 source = sock_source(s, (u32)alt); /* none: nothing has arrived yet */
	if (!source)
		return (s->shut & SHUT_READ) && !sock_nonblocking(d, flags) ? 0 : -EAGAIN;
	sock_note_served();
	if (sock_source_is_outside(source) && !(flags & MSG_PEEK_))
		s->arrived -= !!s->arrived;
	else if (sock_source_is_outside(source) && !s->arrived)
		s->arrived = sock_nonblocking(d, flags);
	return sock_source_recv(s, source, u, flags, from, out_flags);
}

/* ---- the object ---- */

static u32 dgram_poll(const struct vk_desc *d)
{
	const struct vk_sock *s = sock_of(d), *r = sock_partner(s);
	u32 mask = s->error ? POLLERR : 0;
	if (s->shut == (SHUT_READ | SHUT_WRITE))
		mask |= POLLHUP;
	if (s->shut & SHUT_READ)
		mask |= POLLIN | POLLRDNORM | POLLRDHUP;
	if (s->held || s->arrived)
		mask |= POLLIN | POLLRDNORM;
	if (!r || has_room(s, r, 0))
		mask |= POLLOUT | POLLWRNORM | POLLWRBAND;
	return mask;
}

static long dgram_pending(struct vk_call *c, const struct vk_desc *d)
{
	return sock_source_pending(c, sock_of(d));
}

static void dgram_release(struct vk_desc *d)
{
	struct vk_sock *s = sock_of(d);
	for (u32 i = 0; i < vk->desc_limit; i++)
		if (vk->sock[i].flavour == SOCK_DATAGRAM && vk->sock[i].partner == slot_of(s) + 1) {
			sock_declare(&vk->sock[i]);
			vk->sock[i].partner = 0;
		}
	sock_data_drop(s, s->held);
	sock_dgram_peer_close(s);
	sock_clients_close(s);
}

static void dgram_describe(const struct vk_desc *d, struct text *t)
{
	const struct vk_sock *s = sock_of(d);
	text_str(t, "datagram socket ");
	sock_describe_number(d, t);
	if (s->bound) {
		text_str(t, " at ");
		sock_describe_address(&s->local, t);
	}
	if (s->partner) {
		text_str(t, ", connected to ");
		sock_describe_number(&vk->desc[s->partner - 1], t);
	} else if (s->remote.family) {
		text_str(t, ", connected to ");
		sock_describe_address(&s->remote, t);
	}
}

const struct sock_ops sock_dgram_ops = {
	.send = dgram_send,
	.recv = dgram_recv,
	.sources = dgram_sources,
	.recv_outcomes = dgram_recv_outcomes,
	.poll = dgram_poll,
	.pending = dgram_pending,
	.release = dgram_release,
	.can_send = dgram_can_send,
	.can_recv = dgram_can_recv,
	.connect = dgram_connect,
	.describe = dgram_describe,
};
