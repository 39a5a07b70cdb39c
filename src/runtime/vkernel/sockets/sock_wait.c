/*
 * sock_wait.c: the sockets of a state, seen from outside the virtual kernel.
 */
#include "runtime/net/net.h"
#include "runtime/vkernel/sockets/sock.h"

static bool is_peer(const struct vk_sock *s)
{
	return s->used && s->pos.tree;
}

void sock_resolve(const struct vk_desc *d)
{
	const struct vk_sock *s = sock_of(d);
	if (d->kind != VK_SOCKET)
		return;
	if ((s->flavour == SOCK_PEER && !s->broken) || s->flavour == SOCK_CONNECTING)
		net_resolve(&s->pos);
	if (s->flavour == SOCK_LISTEN)
		sock_joint_resolve(s);
	if (s->flavour != SOCK_DATAGRAM || s->family == NET_UNIX)
		return;
	net_resolve(&s->pos);
	sock_clients_resolve(s);
}

static u32 open_connections(const struct cache_pos **out, u32 room)
{
	u32 n = 0;
	for (u32 i = 0; i < vk->desc_limit && n < room; i++)
		if (vk->desc[i].kind == VK_SOCKET && is_peer(&vk->sock[i]))
			out[n++] = &vk->sock[i].pos;
	n += sock_joint_open(out + n, room - n);
	for (u32 i = 0; i < net_clients() && n < room; i++)
		if (vk->dgram_client[i].socket)
			out[n++] = &vk->dgram_client[i].pos;
	return n;
}

static bool has_number(const struct vk_sock *s)
{
	for (u32 fd = 0; fd < vk->fd_limit; fd++)
		if (vk->fd[fd].desc == s - vk->sock + 1)
			return true;
	return false;
}

/*
 * A server that has closed its listener is not idle: whoever still waits there was to be stopped, and is not.
 */
struct op_wait sock_wait_of(const struct vk_sock *s)
{
	if (s->flavour == SOCK_LISTEN || sock_expects_clients(s))
		return (struct op_wait){.what = has_number(s) ? WAIT_CLIENT : WAIT_ANYONE};
	const struct cache_pos *client = sock_client_connected(s);
	bool ended = s->end_arrived || s->fin_seen || s->was_reset || (s->shut & SHUT_READ);
	if ((!client && !is_peer(s)) || ended) /* the latter: who looks finds the end */
		return (struct op_wait){.what = WAIT_ANYONE};
	return (struct op_wait){.what = WAIT_PEER, .peer = client ? client : &s->pos};
}

struct op_wait sock_wait(const struct op *o)
{
	return sock_wait_of((const struct vk_sock *)o->object);
}

/* A server, or a client that was not answered: it should say something. */
bool sock_peer_owes(const struct cache_pos *pos)
{
	return !net_client_of(pos) || !net_answered(pos);
}

static const struct cache_pos *unread_datagram(u64 *bytes)
{
	for (u32 i = 0; i < net_clients(); i++) {
		const struct dgram_client *c = &vk->dgram_client[i];
		net_resolve(&c->pos);
		long n = c->socket ? sock_frame_next(&c->pos, c->in_fault) : -1;
		if (n < 0)
			continue;
		*bytes = (u64)n;
		return &c->pos;
	}
	return NULL;
}

const struct cache_pos *vk_unanswered(u64 *bytes)
{
	for (u32 i = 0; i < vk->desc_limit; i++) {
		const struct vk_sock *s = &vk->sock[i];
		u32 flags;
		if (vk->desc[i].kind != VK_SOCKET || !is_peer(s) || !net_client_of(&s->pos) ||
		    (s->shut & SHUT_READ))
			continue;
		*bytes = sock_peer_ask(s, &flags);
		if (*bytes && !(flags & (NET_EOF | NET_RESET)))
			return &s->pos;
	}
	return unread_datagram(bytes);
}

u32 vk_cut_short(void)
{
	for (u32 i = 0; i < vk->desc_limit; i++) {
		const struct vk_sock *s = &vk->sock[i];
		u32 flags;
		if (vk->desc[i].kind != VK_SOCKET || !is_peer(s) || !s->full || !net_client_of(&s->pos))
			continue;
		sock_peer_ask(s, &flags);
		if (!(flags & (NET_EOF | NET_RESET)))
			return net_client_of(&s->pos);
	}
	return 0;
}

const struct cache_pos *vk_left_waiting(void)
{
	for (u32 i = 0; i < vk->desc_limit; i++) {
		const struct vk_sock *s = &vk->sock[i];
		u32 flags;
		if (vk->desc[i].kind != VK_SOCKET || !is_peer(s) || !net_client_of(&s->pos) ||
		    (s->shut & SHUT_WRITE))
			continue;
		sock_peer_ask(s, &flags);
		if (net_waits_for_more(&s->pos))
			return &s->pos;
	}
	return NULL;
}

bool vk_client_stays(void)
{
	for (u32 i = 0; i < vk->desc_limit; i++) {
		const struct vk_sock *s = &vk->sock[i];
		u32 flags;
		if (vk->desc[i].kind != VK_SOCKET || !is_peer(s) || !net_client_of(&s->pos))
			continue;
		sock_peer_ask(s, &flags);
		if (!(s->shut & SHUT_WRITE) && !(flags & NET_RESET)) /* behind an end it may still listen */
			return true;
	}
	return false;
}

static bool closed_any(void)
{
	return vk->parted;
}

void sock_register(void)
{
	static const struct net_sut sut = {open_connections, closed_any};
	net_register(&sut);
}
