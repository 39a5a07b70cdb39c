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

/* The length of the datagram so many bytes beyond the reading position; -1: there is none. */
static long frame_at(const struct cache_pos *pos, u64 skip)
{
	u32 flags, len;
	u64 bytes;
	if (!net_look(pos, &bytes, &flags) || bytes < skip + NET_FRAME_HEAD)
		return -1;
	net_copy(pos, skip, &len, NET_FRAME_HEAD);
	hd_assert(len <= sizeof(frame) - NET_FRAME_HEAD);
	return len;
}

/* Where the next datagram lies: the first one, unless that is overtaken. */
static u64 next_at(const struct cache_pos *pos, u8 fault)
{
	return fault == DGRAM_OVERTAKEN ? NET_FRAME_HEAD + (u64)frame_at(pos, 0) : 0;
}

long sock_frame_next(const struct cache_pos *pos, u8 fault)
{
	return frame_at(pos, next_at(pos, fault));
}

u64 sock_frames(const struct cache_pos *pos)
{
	u64 n = 0, at = 0;
	for (long len; (len = frame_at(pos, at)) >= 0; n++)
		at += NET_FRAME_HEAD + (u64)len;
	return n;
}

bool sock_frame_is_followed(const struct cache_pos *pos)
{
	long first = frame_at(pos, 0);
	return first >= 0 && frame_at(pos, NET_FRAME_HEAD + (u64)first) >= 0;
}

void sock_frame_skip(struct cache_pos *pos)
{
	net_resolve(pos);
	pos->read += NET_FRAME_HEAD + (u64)frame_at(pos, 0);
}

/* The next datagram was delivered. */
static void take_frame(struct cache_pos *pos, u8 *fault)
{
	switch ((enum dgram_fault) * fault) {
	case DGRAM_TWICE:
		*fault = DGRAM_COPY;
		return;
	case DGRAM_OVERTAKEN:
		*fault = DGRAM_BEHIND_GONE;
		return;
	case DGRAM_BEHIND_GONE:
		sock_frame_skip(pos);
		break;
	default:
		break;
	}
	sock_frame_skip(pos);
	*fault = DGRAM_WELL;
}

long sock_frame_recv(struct cache_pos *pos, u8 *fault, struct vk_uio *u, u32 flags, u32 *out_flags)
{
	net_resolve(pos);
	u64 at = next_at(pos, *fault);
	u32 len = (u32)frame_at(pos, at);
	net_copy(pos, at + NET_FRAME_HEAD, frame, len);
	u32 n = (u32)vk_uio_out(u, frame, len);
	if (n < len)
		*out_flags |= MSG_TRUNC_;
	if (!(flags & MSG_PEEK_))
		take_frame(pos, fault);
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
	long err = sock_server_connect(&a, &s->pos);
	if (!err)
		s->peer = *to;
	return err;
}

/* Nobody there: who is connected to that place, and hears it, is told by the next call, others never. */
static long send_nowhere(struct vk_sock *s, size_t bytes, const struct net_address *to)
{
	if (s->remote.family && sock_hears(s, to)) {
		s->error = ECONNREFUSED;
		sock_wake(s, POLLERR);
	}
	return (long)bytes;
}

/*
 * What a peer sends to a socket that does not hear it is lost in Linux. Here it would be read at once, or as
 * soon as the socket hears the peer again.
 */
static bool is_deaf(const struct vk_sock *s)
{
	return s->pos.tree && (!s->bound || !sock_hears(s, &s->peer));
}

void sock_dgram_peer_note_connect(struct vk_call *c, const struct vk_sock *s)
{
	if (is_deaf(s))
		vk_refuse(c, "connect (of a socket that another peer may answer)");
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
	if (is_deaf(s))
		vk_refuse(c, "send (to a peer whose answers the socket does not hear)");
	long done = sock_frame_send(&s->pos, u);
	sock_joint_moved(s);
	return done;
}

void sock_dgram_peer_close(struct vk_sock *s)
{
	if (s->pos.connection)
		sock_joint_leave(s);
	else if (s->pos.tree)
		net_close(&s->pos);
}
