/*
 * sock_dgram_peer.c: datagrams to a peer and from it. To the I/O cache a socket and its peer are a
 * connection, which carries each datagram behind its length (4 bytes, little endian), in both directions; it
 * is opened when the first datagram goes there. One socket speaks to one server; clients come to it:
 * sock_dgram_client.c.
 */
#include "runtime/net/net.h"
#include "runtime/vkernel/sockets/sock.h"
#include "runtime/vkernel/sockets/sock_abi.h"

/* Not on a fiber's stack. Filled and emptied between two steps. */
static u8 frame[NET_FRAME_HEAD + 65536];

long sock_frame_next(const struct cache_pos *pos)
{
	u32 flags, len;
	u64 bytes;
	if (!net_look(pos, &bytes, &flags) || bytes < NET_FRAME_HEAD)
		return -1;
	net_copy(pos, 0, &len, NET_FRAME_HEAD);
	hd_assert(len <= sizeof(frame) - NET_FRAME_HEAD);
	return len;
}

long sock_frame_recv(struct cache_pos *pos, struct vk_uio *u, u32 flags, u32 *out_flags)
{
	net_resolve(pos);
	u32 len = (u32)sock_frame_next(pos);
	net_copy(pos, NET_FRAME_HEAD, frame, len);
	u32 n = (u32)vk_uio_out(u, frame, len);
	if (n < len)
		*out_flags |= MSG_TRUNC_;
	if (!(flags & MSG_PEEK_))
		pos->read += NET_FRAME_HEAD + len;
	return flags & MSG_TRUNC_ ? len : n;
}

long sock_frame_send(struct cache_pos *pos, struct vk_uio *u)
{
	u32 len = (u32)u->left;
	if (!vk_uio_readable(u))
		return -EFAULT;
	memcpy(frame, &len, NET_FRAME_HEAD);
	vk_uio_in(u, frame + NET_FRAME_HEAD, len);
	long err = net_write(pos, frame, NET_FRAME_HEAD + len);
	return err ? err : (long)len;
}

static bool is_same(const struct net_address *a, const struct net_address *b)
{
	return a->family == b->family && a->port == b->port && !memcmp(a->ip, b->ip, sizeof(a->ip));
}

static long open_peer(struct vk_sock *s, const struct net_address *to)
{
	struct net_address a = sock_address_plain(to);
	a.type = NET_DGRAM;
	long err = net_connect(&a, &s->pos);
	if (!err)
		s->peer = *to;
	return err;
}

/* Nobody there: who is connected to that place is told by the next call, others never. */
static long send_nowhere(struct vk_sock *s, size_t bytes, const struct net_address *to)
{
	struct net_address there = sock_address_plain(to), remote = sock_address_plain(&s->remote);
	if (s->remote.family && is_same(&there, &remote))
		s->error = ECONNREFUSED;
	return (long)bytes;
}

long sock_dgram_peer_send(struct vk_call *c, struct vk_sock *s, struct vk_uio *u,
			  const struct net_address *to)
{
	u32 client = sock_client_at(to);
	if (client)
		return sock_client_send(c, s, client, u);
	if (s->pos.tree && !is_same(&s->peer, to)) {
		vk_refuse(c, "datagrams from one socket to several peers");
		return -EPERM;
	}
	long err = s->pos.tree ? 0 : open_peer(s, to);
	if (err == -ECONNREFUSED)
		return send_nowhere(s, u->left, to);
	if (err)
		return err;
	return sock_frame_send(&s->pos, u);
}

void sock_dgram_peer_close(struct vk_sock *s)
{
	if (s->pos.tree)
		net_close(&s->pos);
}
