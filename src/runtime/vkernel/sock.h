/*
 * sock.h: sockets inside the virtual kernel. Private to vkernel/.
 *
 * A socket is a description of kind VK_SOCKET and a struct vk_sock in the slot of the same number, in
 * model memory (a free one is all zero). What it can do depends on its flavour, one ops table and one file each:
 *
 *   idle    made, perhaps bound; not connected                           (socket.c)
 *   listen  waits for connections: of client peers, and from inside      (sock_listen.c)
 *   peer    a connection to a peer: two positions in a tree of the cache (sock_peer.c; runtime/net)
 *   local   a connection between two sockets of the SUT: two pipes       (sock_local.c)
 *   dgram   datagrams, inside the SUT or to peers                        (sock_dgram.c)
 *
 * Every call that the network could delay, or whose order shows, is a step, as with pipes: OP_CONNECT, OP_ACCEPT,
 * OP_RECV, OP_SEND, OP_SHUTDOWN, and OP_CLOSE for the last close.
 *
 * Addresses are the SUT's own, never physical ones: any port can be bound, whatever the host does with it. Ports the kernel
 * would choose depend on the description's slot alone (40000 + slot). Client peer n comes from 127.0.0.1 (or ::1), port 50000 + n.
 */
#ifndef HEDDLE_RUNTIME_SOCK_H
#define HEDDLE_RUNTIME_SOCK_H

#include "runtime/vkernel/vk_priv.h"

/* NULL members: the answer of an unconnected socket. flags: MSG_*. */
struct sock_ops {
	long (*send)(struct vk_desc *d, struct vk_uio *u, u32 flags, const struct net_address *to);
	/* from: filled in (family 0: none). *out_flags: MSG_TRUNC, MSG_EOR … */
	long (*recv)(struct vk_desc *d, struct vk_uio *u, u32 flags, struct net_address *from,
		     u32 *out_flags);
	u32 (*poll)(const struct vk_desc *d);
	long (*pending)(const struct vk_desc *d);
	long (*shutdown)(struct vk_desc *d,
			 u32 how); /* SHUT_* bits that are new; s->shut is set by the caller afterwards */
	void (*release)(struct vk_desc *d);
	void (*describe)(const struct vk_desc *d, struct text *t); /* "connection 4 to 127.0.0.1:80" */
};
extern const struct sock_ops *const sock_flavours[SOCK_FLAVOURS];
extern const struct sock_ops sock_listen_ops, sock_peer_ops, sock_local_ops, sock_dgram_ops;

static inline u32 desc_slot(const struct vk_desc *d)
{
	return (u32)(d - vk->desc);
}
static inline struct vk_sock *sock_of(const struct vk_desc *d)
{
	return &vk->sock[desc_slot(d)];
}
static inline const struct sock_ops *sock_ops_of(const struct vk_desc *d)
{
	return sock_flavours[sock_of(d)->flavour];
}

/* The socket behind fd (may be a step); or NULL and *err: -EBADF, -ENOTSOCK. */
struct vk_desc *sock_use(int fd, long *err);
/* A fresh description with its socket; NULL: ENFILE. */
struct vk_desc *sock_new(u16 family, u16 type, u16 protocol, u32 flags);

/* ---- sock_addr.c ---- */

/* From and to the SUT's struct sockaddr. 0 or an error. */
long sock_address_in(const struct vk_sock *s, u64 user, long len, struct net_address *out);
long sock_address_out(const struct net_address *a, u64 user, u64 user_len);
/* Give an unbound socket the port the kernel would choose. */
void sock_bind_ephemeral(struct vk_desc *d);
/* Does a connection to `to` reach a socket bound to `local`? Wildcards, IPv4 in IPv6. */
bool sock_address_reaches(const struct net_address *local, const struct net_address *to);
void sock_describe_address(const struct net_address *a, struct text *t);

/* ---- sock_local.c ---- */

/* Connect d to the listener l inside the SUT: makes the other end and queues it. 0 or an error. */
long sock_local_connect(struct vk_desc *d, struct vk_desc *l);
/* The oldest waiting connection of listener l, its reference now the caller's; NULL: none. */
struct vk_desc *sock_local_take(struct vk_desc *l);
/* A listener inside the SUT that a connection to `to` reaches; NULL: none. */
struct vk_desc *sock_local_listener(const struct net_address *to, u16 type);

#endif
