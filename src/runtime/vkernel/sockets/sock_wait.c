/*
 * sock_wait.c: the sockets of a state, seen from outside the virtual kernel.
 */
#include "runtime/net/net.h"
#include "runtime/vkernel/sockets/sock.h"

static bool is_peer(const struct vk_sock *s)
{
	return s->used && s->pos.tree;
}

u32 vk_open_connections(const struct cache_pos **out, u32 room)
{
	u32 n = 0;
	for (u32 i = 0; i < VK_MAX_DESCS && n < room; i++)
		if (vk->desc[i].kind == VK_SOCKET && is_peer(&vk->sock[i]))
			out[n++] = &vk->sock[i].pos;
	for (u32 i = 0; i < net_clients() && n < room; i++)
		if (vk->caller[i].socket)
			out[n++] = &vk->caller[i].pos;
	return n;
}

static bool has_number(const struct vk_sock *s)
{
	for (u32 fd = 0; fd < VK_MAX_FDS; fd++)
		if (vk->fd[fd].desc == s - vk->sock + 1)
			return true;
	return false;
}

/* A server that has closed its listener is not idle: whoever still waits there was to be stopped, and is not. */
static enum vk_wait socket_waits_for(const struct vk_sock *s, const struct cache_pos **pos)
{
	if (s->flavour == SOCK_LISTEN)
		return has_number(s) ? VK_WAIT_CLIENT : VK_WAIT_OTHER;
	if (sock_callers_come(s))
		return has_number(s) ? VK_WAIT_CLIENT : VK_WAIT_OTHER;
	const struct cache_pos *caller = sock_caller_connected(s);
	if (!caller && !is_peer(s))
		return VK_WAIT_OTHER;
	*pos = caller ? caller : &s->pos;
	return VK_WAIT_PEER;
}

/* Any of them could end the wait; a client that may come weighs more than a peer that is silent. */
static enum vk_wait poll_waits_for(const struct op *o, const struct cache_pos **pos)
{
	const struct pollfd *p = (const struct pollfd *)o->arg;
	enum vk_wait found = VK_WAIT_OTHER;
	for (u32 i = 0; i < o->n; i++) {
		const struct vk_desc *d = vk_desc_get(p[i].fd);
		if (!d || d->kind != VK_SOCKET)
			continue;
		enum vk_wait w = socket_waits_for(sock_of(d), pos);
		if (w == VK_WAIT_CLIENT)
			return w;
		if (w != VK_WAIT_OTHER)
			found = w;
	}
	return found;
}

enum vk_wait vk_waits_for(const struct op *o, const struct cache_pos **pos)
{
	switch (o->kind) {
	case OP_ACCEPT:
	case OP_RECV:
		return socket_waits_for((const struct vk_sock *)o->object, pos);
	case OP_POLL:
		return poll_waits_for(o, pos);
	default:
		return VK_WAIT_OTHER;
	}
}

static const struct cache_pos *unread_datagram(u64 *bytes)
{
	for (u32 i = 0; i < net_clients(); i++) {
		const struct vk_caller *c = &vk->caller[i];
		long n = c->socket ? sock_frame_next(&c->pos) : -1;
		if (n < 0)
			continue;
		*bytes = (u64)n;
		return &c->pos;
	}
	return NULL;
}

const struct cache_pos *vk_unanswered(u64 *bytes)
{
	for (u32 i = 0; i < VK_MAX_DESCS; i++) {
		const struct vk_sock *s = &vk->sock[i];
		u32 flags;
		if (vk->desc[i].kind != VK_SOCKET || !is_peer(s) || !net_client_of(&s->pos) ||
		    (s->shut & SHUT_READ))
			continue;
		*bytes = net_look(&s->pos, &flags);
		if (*bytes && !(flags & (NET_EOF | NET_RESET)))
			return &s->pos;
	}
	return unread_datagram(bytes);
}

bool vk_client_stays(void)
{
	for (u32 i = 0; i < VK_MAX_DESCS; i++) {
		const struct vk_sock *s = &vk->sock[i];
		u32 flags;
		if (vk->desc[i].kind != VK_SOCKET || !is_peer(s) || !net_client_of(&s->pos))
			continue;
		net_look(&s->pos, &flags);
		if (!(s->shut & SHUT_WRITE) && !(flags & NET_RESET)) /* behind an end it may still listen */
			return true;
	}
	return false;
}

bool vk_has_parted(void)
{
	return vk->parted;
}
