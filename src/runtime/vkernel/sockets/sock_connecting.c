/*
 * sock_connecting.c: a TCP connect that does not wait. The connection is made with the peer at once (or its
 * refusal is known), but the SUT hears of it when the network has brought the answer (sock_arrival.c): then
 * the socket is a connection, or has failed. A socket that has failed keeps its error for who asks first, and
 * can be connected again:
 *
 *                under way    refused                        … and its error was told
 *   send         EAGAIN       ECONNREFUSED                   EPIPE
 *   recv         EAGAIN       ECONNREFUSED                   0
 *   connect      EALREADY     ECONNREFUSED, is like new      ECONNABORTED, is like new
 */
#include "runtime/net/net.h"
#include "runtime/vkernel/sockets/sock.h"
#include "runtime/vkernel/sockets/sock_abi.h"

long sock_connecting_begin(struct vk_desc *d, const struct net_address *to)
{
	struct vk_sock *s = sock_of(d);
	s->flavour = SOCK_CONNECTING;
	s->peer = *to;
	u8 bound = s->bound;
	sock_bind_ephemeral(d, to);
	if (s->refusal)
		s->bound = bound; /* it shows a port, but does not hold it */
	return -EINPROGRESS;
}

void sock_connecting_ends(struct vk_desc *d)
{
	struct vk_sock *s = sock_of(d);
	sock_wake(s, 0);
	vk_declare(vk_socket_name_object(vk_desc_slot(d)), ACCESS_WRITE);
	if (s->refusal) {
		s->error = s->refusal;
		s->refusal = 0;
		s->refused = 1;
		return;
	}
	s->flavour = SOCK_PEER;
	s->remote = s->peer;
	s->peer = (struct net_address){0};
	s->connect_done = 1;
}

/* It can be connected again, as if nothing had been. */
static void start_afresh(struct vk_sock *s)
{
	s->flavour = SOCK_IDLE;
	s->refused = s->shut = 0;
	s->peer = (struct net_address){0};
}

static long take_error(struct vk_sock *s)
{
	long err = -(long)s->error;
	s->error = 0;
	return err;
}

/* A connection inside the SUT that is over before a second connect has asked: Linux takes it apart then. */
static void take_apart(struct vk_sock *s)
{
	sock_data_drop(s, s->held);
	start_afresh(s);
	s->was_reset = s->fin_seen = s->end_told = s->connect_done = 0;
	s->partner = 0;
	s->remote = (struct net_address){0};
	if (s->bound != SOCK_NAMED) {
		s->bound = 0;
		memset(s->local.ip, 0, sizeof(s->local.ip));
	}
}

long sock_connecting_look(struct vk_call *c, struct vk_desc *d, u32 flags)
{
	const struct vk_sock *s = sock_of(d);
	if (sock_look(c, d, 0, flags) == VK_RESTART)
		return VK_RESTART;
	return s->flavour == SOCK_CONNECTING && !s->refused ? -EAGAIN : 0;
}

/* ---- connect, once more ---- */

bool sock_connects_again(const struct vk_sock *s)
{
	return s->flavour == SOCK_CONNECTING || s->connect_done;
}

long sock_connect_again(struct vk_call *c, struct vk_desc *d)
{
	struct vk_sock *s = sock_of(d);
	if (s->flavour == SOCK_CONNECTING) {
		long err = sock_connecting_look(c, d, 0);
		if (err)
			return err == -EAGAIN ? -EALREADY : err;
	} else {
		vk_order(c, vk_socket_object(vk_desc_slot(d)), ACCESS_WRITE);
	}
	sock_declare(s);
	if (s->refused == SOCK_UNUSABLE || s->connect_done == SOCK_UNUSABLE)
		return -EINVAL;
	if (s->flavour == SOCK_CONNECTING) {
		long err = take_error(s);
		start_afresh(s);
		return err ? err : -ECONNABORTED;
	}
	if (s->flavour == SOCK_LOCAL && sock_local_over(s)) {
		long err = take_error(s);
		take_apart(s);
		return err ? err : -ECONNABORTED;
	}
	bool first = s->connect_done;
	s->connect_done = 0;
	return first ? 0 : -EISCONN;
}

/* ---- the object ---- */

static long connecting_send(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u32 flags,
			    const struct net_address *to)
{
	long err = sock_connecting_look(c, d, flags);
	if (err)
		return err;
	if (sock_of(d)->flavour != SOCK_CONNECTING)
		return sock_send(c, d, u, flags, to);
	err = take_error(sock_of(d));
	return err ? err : sock_broken(c, flags);
}

static long connecting_recv(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u32 flags,
			    struct net_address *from, u32 *out_flags)
{
	long err = sock_connecting_look(c, d, flags);
	if (err)
		return err;
	return sock_of(d)->flavour != SOCK_CONNECTING ? sock_receive(c, d, u, flags, from, out_flags)
						      : take_error(sock_of(d));
}

static u32 connecting_poll(const struct vk_desc *d)
{
	struct sock_arrival a = sock_arrival_of(sock_of(d));
	return sock_peer_mask(sock_of(d), &a);
}

static void connecting_release(struct vk_desc *d)
{
	struct vk_sock *s = sock_of(d);
	if (s->pos.tree)
		sock_peer_ops.release(d);
}

static void connecting_describe(const struct vk_desc *d, struct text *t)
{
	text_str(t, "connection ");
	sock_describe_number(d, t);
	text_str(t, sock_of(d)->refused ? ", refused by " : ", under way to ");
	sock_describe_address(&sock_of(d)->peer, t);
}

const struct sock_ops sock_connecting_ops = {
	.send = connecting_send,
	.recv = connecting_recv,
	.poll = connecting_poll,
	.release = connecting_release,
	.describe = connecting_describe,
};
