/*
 * sock.h: sockets inside the virtual kernel. Private to vkernel/.
 *
 * A socket is a description of kind VK_SOCKET and a struct vk_sock in the slot of the same number, in
 * model memory (a free one is all zero). What it can do depends on its flavour, one ops table and one file
 * each:
 *
 *   idle    made, perhaps bound; not connected                           (socket.c)
 *   listen  waits for connections: of client peers, and from inside      (sock_listen.c)
 *   peer    a connection to a peer: two positions in a tree of the cache (sock_peer.c; runtime/net)
 *   local   a connection between two sockets of the SUT: two pipes       (sock_local.c)
 *   dgram   datagrams, inside the SUT or to peers                        (sock_dgram.c)
 *   connecting  a connect that does not wait is under way, or has failed (sock_connecting.c)
 *
 * How far the network has brought what peers have said and done is decided when somebody looks:
 * sock_arrival.c.
 *
 * Every call that the network could delay, or whose order shows, is a step, as with pipes: OP_CONNECT,
 * OP_ACCEPT, OP_RECV, OP_SEND, OP_SHUTDOWN, and OP_CLOSE for the last close.
 *
 * Addresses are the SUT's own, never physical ones: any port can be bound, whatever the host does with it.
 * Ports the kernel would choose depend on the description's slot alone (40000 + slot). Client peer n comes
 * from 127.0.0.1 (or ::1), port 50000 + n.
 */
#ifndef HEDDLE_RUNTIME_SOCK_H
#define HEDDLE_RUNTIME_SOCK_H

#include "runtime/vkernel/core/vk_priv.h"

/* NULL members: the answer of an unconnected socket. flags: MSG_*. */
struct sock_ops {
	long (*send)(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u32 flags,
		     const struct net_address *to);
	/* from: filled in (family 0: none). *out_flags: MSG_TRUNC, MSG_EOR … */
	long (*recv)(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u32 flags,
		     struct net_address *from, u32 *out_flags);
	/*
	 * How many outcomes has a step OP_RECV or OP_SEND (bytes and flags are in it); 0: it waits. NULL: one
	 * for each source, or one, unless can_recv or can_send say that it waits.
	 */
	u32 (*recv_outcomes)(const struct vk_desc *d, const struct op *o);
	u32 (*send_outcomes)(const struct vk_desc *d, const struct op *o);
	/* sources, poll, can_send and can_recv are pure: they look at what sock_resolve has asked for. */
	/* Whose message comes first? That many outcomes has recv, one even if none has come. NULL: one. */
	u32 (*sources)(const struct vk_desc *d);
	u32 (*poll)(const struct vk_desc *d);
	long (*pending)(struct vk_call *c, const struct vk_desc *d);
	long (*shutdown)(struct vk_desc *d,
			 u32 how); /* SHUT_* bits that are new; s->shut is set by the caller afterwards */
	void (*release)(struct vk_desc *d);
	/* Can a step that sock_step made go on, or fail, now? NULL: yes. */
	bool (*can_send)(const struct vk_desc *d, const struct op *o);
	bool (*can_recv)(const struct vk_desc *d, const struct op *o);
	/* Datagrams: the address all go to (family 0: none any more). After the step. */
	long (*connect)(struct vk_call *c, struct vk_desc *d, const struct net_address *to);
	void (*describe)(const struct vk_desc *d, struct text *t); /* "connection 4 to 127.0.0.1:80" */
};
extern const struct sock_ops *const sock_flavours[SOCK_FLAVOURS];
extern const struct sock_ops sock_listen_ops, sock_peer_ops, sock_local_ops, sock_dgram_ops,
	sock_connecting_ops;

static inline struct vk_sock *sock_of(const struct vk_desc *d)
{
	return &vk->sock[vk_desc_slot(d)];
}
static inline const struct sock_ops *sock_ops_of(const struct vk_desc *d)
{
	return sock_flavours[sock_of(d)->flavour];
}

/* The socket behind fd (may be a step); or NULL and *err: -EBADF, -ENOTSOCK. */
struct vk_desc *sock_use(struct vk_call *c, int fd, long *err);
/* The same for a call that steps first thing on a socket of this state (vk_desc_use_late). */
struct vk_desc *sock_use_late(struct vk_call *c, int fd, long *err, bool (*steps)(const struct vk_desc *d));
/* Do send and receive on it? */
bool sock_steps_first(const struct vk_desc *d);
/* A fresh description with its socket; NULL: ENFILE. */
struct vk_desc *sock_new(u16 family, u16 type, u16 protocol, u32 flags);
/* Can there be such a socket? 0 or an error. */
long sock_check(struct vk_call *c, u32 family, u32 type, u32 protocol);

/* Does the last close of this socket matter to anybody? Then it is a step. */
bool sock_close_shows(struct vk_call *c, const struct vk_desc *d);
/* "4": its lowest descriptor; "-": it has none. */
void sock_describe_number(const struct vk_desc *d, struct text *t);

/* The call changes something of this socket, its options apart; what a poll looks at. */
void sock_declare(const struct vk_sock *s);
/* Something has happened to it: an edge for who watches it by epoll (streams/epoll.h). */
void sock_wake(const struct vk_sock *s, u32 events);
/* Its names change, inside a step. */
void sock_names_change(const struct vk_sock *s);
void sock_declare_poll(const struct vk_desc *d);

/* ---- sock_call.c ---- */

/* A call is about to fail as the socket is neither connected nor listening: others may change that. */
void sock_connected_use(struct vk_call *c, const struct vk_desc *d);
/* Whatever the flavour. to: may be NULL. */
long sock_send(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u32 flags,
	       const struct net_address *to);
long sock_receive(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u32 flags, struct net_address *from,
		  u32 *out_flags);
/* ---- sock_listen.c ---- */

/* A listener inside the SUT that a connection to `to` reaches, by port or by path; NULL: none. */
struct vk_desc *sock_listener(const struct net_address *to, u16 type);
/* Where client peers come to. */
struct net_address sock_client_address(const struct vk_sock *l);

/* ---- sock_joint.c: peers that have several connections at a time ---- */

/* Connect to a server peer, whether they are joint or not. *pos: the connection. 0, or a negative errno. */
long sock_server_connect(const struct net_address *to, struct cache_pos *pos);
/* What a step touches that says something to joint servers, by s. Nothing if they are not. */
void sock_joint_accesses(const struct vk_sock *s);
/* The last close of d, if it is one, which is about to happen. */
void sock_close_accesses(const struct vk_desc *d);

/* Which port a client comes from, and which client comes from there. connection 0: its only one. */
u16 sock_port_of_client(u32 client, u32 connection);
u32 sock_client_of_port(u16 port);
/* How many connections the client has opened, those that were closed included; how many wait. Pure. */
u32 sock_joint_opened(const struct vk_sock *l, u32 client, bool started);
u32 sock_joint_waiting(const struct vk_sock *l, u32 client, bool started);
bool sock_joint_is_taken(u32 client, u32 connection);
/* Make that known, for all who come to this listener. */
void sock_joint_resolve(const struct vk_sock *l);
/* Accept the connection with this number. *pos: its position. 0, or a negative errno. */
long sock_joint_accept(const struct net_address *local, u32 client, u32 connection, bool started,
		       struct cache_pos *pos);
/* s was written to: all connections of its peer follow. Nothing if it is no joint one. */
void sock_joint_moved(struct vk_sock *s);
/* s is closed. */
void sock_joint_leave(struct vk_sock *s);
/* The positions of those whose connections may all be closed. */
u32 sock_joint_open(const struct cache_pos **out, u32 room);

/* How many outcomes has accept? A connection from inside is 0, if there is one; then
   the clients that may come. */
u32 sock_arrivals(const struct vk_desc *l);
/* … and one more, that none has arrived yet, for who does not wait. */
bool sock_accept_may_fail(const struct vk_desc *l);
/* How many clients may come to this listener now. */
u32 sock_clients_left(const struct vk_sock *l);
/* … and how many altogether, behind one another. */
u32 sock_clients_coming(const struct vk_sock *l);
/* POLL* of a listener to which so many clients have come. */
u32 sock_listen_mask(const struct vk_sock *l, u64 arrived);
/* "client 2 on ": what accept takes with this outcome. */
void sock_describe_next(const struct vk_desc *d, u32 alt, struct text *t);

/* ---- sock_peer.c ---- */

/* SO_ERROR: the errno that nobody has been told yet, which is now told; 0: none. */
long sock_peer_error(struct vk_sock *s);
/* Both sides have closed, or there was a reset: no connection any more, as Linux sees it. */
bool sock_peer_over(const struct vk_sock *s);
/* sendfile to a peer: up to n bytes of a file as one send. */
long sock_peer_send_file(struct vk_call *c, struct vk_desc *d, const struct vk_desc *in, u64 *pos, u64 n);

/* Would OP_RECV or OP_SEND read or send nothing with this outcome? */
bool sock_peer_recv_in_vain(const struct op *o, u32 alt);
bool sock_peer_send_in_vain(const struct op *o, u32 alt);
/* What OP_RECV and OP_SEND would do with this outcome: ": 5 bytes …", ", of which there is room for 1". */
void sock_describe_peer_recv(const struct op *o, u32 alt, struct text *t);
void sock_describe_peer_send(const struct op *o, u32 alt, struct text *t);

/* ---- sock_arrival.c: how far the network has come ---- */

/* One way: what has arrived by now. */
struct sock_arrival {
	u64 bytes; /* vk_sock.arrived */
	u8 ended, full, under_way, pad[5];
};
#define SOCK_NEWS 16u
/* The ways in which the network can have gone on since the last look; the first is that nothing is new. */
struct sock_news {
	u32 count;
	bool forced;         /* selectors: the first is news already (--read always and its like) */
	u32 mask[SOCK_NEWS]; /* POLL* then, of those asked for */
	struct sock_arrival way[SOCK_NEWS];
};
/* net_look and net_ask of a connection, which the network may have broken. */
bool sock_peer_look(const struct vk_sock *s, u64 *bytes, u32 *flags);
u64 sock_peer_ask(const struct vk_sock *s, u32 *flags);
struct sock_arrival sock_arrival_of(const struct vk_sock *s);
/* As far as a read of so many bytes can tell; pure, behind sock_resolve, as all of these. */
void sock_news_read(const struct vk_sock *s, u64 bytes, struct sock_news *n);
/* As far as a selector can tell that asks for these events; exact: how much it is will matter, too. */
void sock_news_poll(const struct vk_desc *d, u32 events, bool exact, struct sock_news *n);
/* Whether the connection that is under way is there. */
void sock_news_connect(const struct vk_sock *s, struct sock_news *n);
/* It has gone this way. */
void sock_arrive(struct vk_desc *d, const struct sock_arrival *a);
/* POLL* of a connection (flavours peer and connecting) of which that much has arrived. */
u32 sock_peer_mask(const struct vk_sock *s, const struct sock_arrival *a);
/* --accept always and its like: an operation does not have to wait for the network alone. */
bool sock_always(enum net_always what);
/* --short-io on */
bool sock_short_io(void);
/*
 * --retries N: have so many attempts in a row failed that the next one must not, if it can succeed? What that
 * cuts off makes the verdict bounded. And an attempt has failed, or not.
 */
bool sock_retries_over(u8 failed);
void sock_count_attempt(u8 *failed, bool fails);

/* ---- sock_connecting.c ---- */

/*
 * connect did not wait: d will be connected to `to`, at s->pos, or fail with s->refusal. -EINPROGRESS.
 */
long sock_connecting_begin(struct vk_desc *d, const struct net_address *to);
/* The network has decided it. */
void sock_connecting_ends(struct vk_desc *d);
/*
 * A step in which a call looks how far the connection is: 0, and its flavour has changed or it is refused;
 * -EAGAIN: it is still under way, and the call must not wait; or VK_RESTART.
 */
long sock_connecting_look(struct vk_call *c, struct vk_desc *d, u32 flags);
/* connect on a socket on which a connect that did not wait was called before; may be a step. */
long sock_connect_again(struct vk_call *c, struct vk_desc *d);
bool sock_connects_again(const struct vk_sock *s);

/* ---- sock_opt.c ---- */

enum sock_flag_option {
	SOCK_REUSE_ADDRESS,
	SOCK_REUSE_PORT,
	SOCK_ONLY_IPV6,
	SOCK_FLAG_OPTIONS /* further ones, of no effect: sock_opt.c */
};
bool sock_option(const struct vk_sock *s, enum sock_flag_option o);
/* The error that nobody was told yet, negative, which is told now; 0: none. May be a step. */
long sock_take_error(struct vk_call *c, struct vk_desc *d);

/* ---- steps (sock_op.c) ---- */

/*
 * A step on d, with the time-out of the socket: OP_SEND or OP_RECV, called by a flavour's send and recv as
 * often as they need; or OP_CONNECT, OP_ACCEPT, OP_SHUTDOWN. The step's object is the vk_sock, arg: bytes,
 * arg2: the flavour's own (peer: the vk_uio, whose bytes are shown), n: flags, MSG_DONTWAIT among them where
 * the call must not wait. Returns the outcome, ALT_TIMEOUT: time to give up (EAGAIN); or VK_RESTART, to be
 * returned at once.
 */
long sock_step(struct vk_call *c, struct vk_desc *d, u16 kind, u64 bytes, u32 flags, u64 arg2);
/*
 * A step that only looks how far the network has come: of a connection under way, or how many of `bytes`
 * there are to read. 0; or VK_RESTART, if the call began with a late lookup.
 */
long sock_look(struct vk_call *c, struct vk_desc *d, u64 bytes, u32 flags);
/* 6 bytes "hello\n": the beginning is in data. */
#define SOCK_SHOWN 40
void sock_describe_data(const u8 *data, u64 n, struct text *t);
/* May what this socket waits for come from a peer? */
bool sock_is_outside(const struct vk_desc *d);
/* Must this call not wait? O_NONBLOCK, or MSG_DONTWAIT among the flags. */
bool sock_nonblocking(const struct vk_desc *d, u32 flags);
/* What a stream that can't be written to any more answers: SIGPIPE (unless MSG_NOSIGNAL) and -EPIPE. */
long sock_broken(struct vk_call *c, u32 flags);

/* ---- sock_addr.c ---- */

/* Is there an address that can be read? 0 or an error; before all others. */
long sock_address_check(u64 user, long len);
/* From and to the SUT's struct sockaddr. 0 or an error. */
long sock_address_in(const struct vk_sock *s, u64 user, long len, struct net_address *out);
long sock_address_out(const struct net_address *a, u64 user, u64 user_len);
/*
 * Give an unbound socket the port the kernel would choose, and the address it has when it speaks to `to` (may
 * be NULL).
 */
void sock_bind_ephemeral(struct vk_desc *d, const struct net_address *to);
/* Does a connection to `to` reach a socket bound to `local`? Wildcards, IPv4 in IPv6. */
bool sock_address_reaches(const struct net_address *local, const struct net_address *to);
/* The same for a socket, bound or not, with its IPV6_V6ONLY. */
bool sock_is_reached(const struct vk_sock *s, const struct net_address *to);
/* Is `to` IPv4 in IPv6, and the socket speaks IPv6 alone? */
bool sock_is_cut_off(const struct vk_sock *s, const struct net_address *to);
/*
 * Does what comes from there reach this socket, which has sent something there? Not if it is connected to
 * somebody else; nor if its own address is of the other family: it sends from another one than it hears at.
 */
bool sock_hears(const struct vk_sock *s, const struct net_address *from);
bool sock_address_is_any(const struct net_address *a);
void sock_describe_address(const struct net_address *a, struct text *t);
/*
 * The same address in its simplest form: IPv4 in IPv6 is IPv4, and who connects to no address means this
 * machine.
 */
struct net_address sock_address_plain(const struct net_address *a);
/* The call changes who holds a port (or an abstract name): a step where it must be one. */
void sock_port_change(struct vk_call *c, const struct net_address *a);
/*
 * What follows is a step already, and depends on who is there: declared, so that those who come there step,
 * too.
 */
void sock_port_look(struct vk_call *c, const struct net_address *a);
/* A socket takes a port, or lets it go, in a step that is one anyway. */
void sock_declare_port(const struct net_address *a, enum access_mode mode);
/* "port 80", from the key of an OBJECT_PORT. */
void sock_describe_port(u64 key, struct text *t);
/* Does another socket hold what s is bound to? */
bool sock_port_taken(const struct vk_sock *s);
/* sock_name.c: connected, and not yet at its end? */
bool sock_is_connected(const struct vk_sock *s);
/*
 * The socket of the SUT that is bound to this path of the file system; or NULL and *err: -ENOENT,
 * -ECONNREFUSED …; 0: it belongs to another process. Declares nothing: sock_path_use() says that
 * a path is looked at, and may be a step.
 */
struct vk_desc *sock_at_path(const struct net_address *to, long *err);
void sock_path_use(struct vk_call *c, const struct net_address *to);

/* ---- what waits to be read (sock_data.c) ---- */

u32 sock_data_room(const struct vk_sock *s);
/* From the SUT, as much as there is room for; how much. */
u32 sock_data_put(struct vk_sock *s, struct vk_uio *u);
/* To the SUT, without taking it away; how much. */
u32 sock_data_get(const struct vk_sock *s, struct vk_uio *u);
void sock_data_drop(struct vk_sock *s, u32 n);
/* The same for messages with boundaries. from: the sender's name; NULL or family 0: none. */
u64 sock_record_size(u64 bytes, const struct net_address *from);
long sock_record_put(struct vk_sock *s, struct vk_uio *u, const struct net_address *from);
/* The first record: its length; recv with flags MSG_* (*from stays as it is if the sender has no name). */
u32 sock_record_len(const struct vk_sock *s);
long sock_record_take(struct vk_sock *s, struct vk_uio *u, u32 flags, struct net_address *from,
		      u32 *out_flags);
/* The last record, if it is not the only one, moves before the one it came behind. */
void sock_record_overtake(struct vk_sock *s);
/* How many there are, and their bytes. */
u32 sock_record_count(const struct vk_sock *s, u32 *bytes);

/* ---- sock_local.c: speaking; sock_join.c: how two ends find each other, and part ---- */

/* The other end of a local connection; NULL: it is closed. */
struct vk_sock *sock_partner(const struct vk_sock *s);
/* TCP: a reset arrives. */
void sock_local_reset(struct vk_sock *s);
/* An address as a socket of another family shows it. */
struct net_address sock_address_in_family(u16 family, const struct net_address *a);
long sock_local_shutdown(struct vk_desc *d, u32 how);
void sock_local_release(struct vk_desc *d);

/*
 * Connect d to the listener l inside the SUT, by the address `to`: makes the other end and queues it. 0 or an
 * error. Not before there is room in l's queue: until then, connect waits.
 */
long sock_local_connect(struct vk_call *c, struct vk_desc *d, struct vk_desc *l,
			const struct net_address *to);
bool sock_local_room(const struct vk_desc *l);
/* The oldest waiting connection of listener l, its reference now the caller's; NULL: none. */
struct vk_desc *sock_local_take(struct vk_desc *l);
/* A listener inside the SUT that a connection to `to` reaches; NULL: none. */
struct vk_desc *sock_local_listener(const struct net_address *to, u16 type);
/* The listener goes: whoever waits in its queue is reset. */
void sock_local_unlisten(struct vk_desc *l);
/*
 * Has a local TCP connection come to its end, both sides closed or reset? getpeername and shutdown: ENOTCONN.
 */
bool sock_local_over(const struct vk_sock *s);

/* ---- sock_wait.c ---- */

/*
 * Ask the network for all that a look at this socket wants to know: before sources, poll and can_recv, which
 * only look.
 */
void sock_resolve(const struct vk_desc *d);
/* Tell net/ where the connections of a state are. */
void sock_register(void);

/* ---- sock_dgram_source.c: where the next datagram comes from ---- */

/* How many could be the next to be read; the nth of them, from 0 (0: none). */
u32 sock_sources(const struct vk_sock *s);
u32 sock_source(const struct vk_sock *s, u32 nth);
bool sock_source_is_outside(u32 source);
/* How many from outside could have arrived by now. */
u64 sock_datagrams_coming(const struct vk_sock *s);
/* As recv; the source must be one of them. */
long sock_source_recv(struct vk_sock *s, u32 source, struct vk_uio *u, u32 flags, struct net_address *from,
		      u32 *out_flags);
/* FIONREAD */
long sock_source_pending(struct vk_call *c, const struct vk_sock *s);
/* ": client 2: 5 bytes \"hello\"", where that is not clear anyway. */
void sock_describe_source(const struct vk_sock *s, u32 nth, struct text *t);

/* ---- sock_dgram_client.c: datagrams of client peers ---- */

/* Does a listener wait for this client peer (0: for any)? */
bool sock_somebody_listens(u32 client);
/* May any client peer send to this socket? */
bool sock_expects_clients(const struct vk_sock *s);
/* Somebody came: a connection was accepted, or a datagram received. */
void sock_note_served(void);
/* As sock_resolve, of the clients that have come to s. */
void sock_clients_resolve(const struct vk_sock *s);
/* Could a datagram of this client be the next that s reads? */
bool sock_client_ready(const struct vk_sock *s, u32 client);
long sock_client_recv(struct vk_sock *s, u32 client, struct vk_uio *u, u32 flags, struct net_address *from,
		      u32 *out_flags);
/* Its next datagram is lost on the way; it may be its first. */
long sock_client_lose(struct vk_sock *s, u32 client);
/* The client that has come from this address; 0: none. */
u32 sock_client_at(const struct net_address *to);
/* The connection that a socket has to the only client it hears; NULL: it has none. */
const struct cache_pos *sock_client_connected(const struct vk_sock *s);

/* Who can end the wait of a step on a socket, or of a poll: op_class.wait (sock_wait.c). */
struct op_wait sock_wait(const struct op *o);
struct op_wait sock_wait_of(const struct vk_sock *s);
/* Would this peer have to speak next, as far as can be told? */
bool sock_peer_owes(const struct cache_pos *pos);
/* s is about to be connected to this address. */
void sock_clients_note_connect(struct vk_call *c, const struct vk_sock *s, const struct net_address *to);
long sock_client_send(struct vk_call *c, const struct vk_sock *s, u32 client, struct vk_uio *u);
void sock_clients_close(const struct vk_sock *s);
void sock_describe_client(u32 client, struct text *t);

/* ---- sock_dgram_peer.c: datagrams to peers ---- */

/* The length of the next datagram on a connection; -1: none. */
long sock_frame_next(const struct cache_pos *pos, u8 fault);
/* Is there another one behind the first? Leave the first out. */
bool sock_frame_is_followed(const struct cache_pos *pos);
void sock_frame_skip(struct cache_pos *pos);
/* How many there are. */
u64 sock_frames(const struct cache_pos *pos);
/* It must be there. */
long sock_frame_recv(struct cache_pos *pos, u8 *fault, struct vk_uio *u, u32 flags, u32 *out_flags);
long sock_frame_send(struct cache_pos *pos, struct vk_uio *u);
long sock_dgram_peer_send(struct vk_call *c, struct vk_sock *s, struct vk_uio *u,
			  const struct net_address *to);
/* s was connected to another address, or to none. */
void sock_dgram_peer_note_connect(struct vk_call *c, const struct vk_sock *s);
void sock_dgram_peer_close(struct vk_sock *s);

#endif
