/*
 * net.h: where virtual sockets meet the I/O cache. The virtual kernel and the engine use this and never the
 * cache itself: what goes wrong in the cache is a call's error, or ends the transition or the search, here.
 *
 * Positions (struct cache_pos) lie in model memory. What a peer has said at a position is *asked*
 * (net_resolve, net_ask: perhaps a connection is opened and a peer waited for) and *looked at* (net_look: a
 * pure lookup). Enabledness only looks: before the engine computes what is enabled, it lets each pending
 * operation resolve what it will look at (struct op_class, resolve). A fiber that runs asks.
 */
#ifndef HEDDLE_RUNTIME_NET_H
#define HEDDLE_RUNTIME_NET_H

#include "base/text.h"
#include "iocache/cache.h"

/* Before the search: find the trees, make the cache. */
void net_setup(void);

/* What the virtual kernel tells of the current state of the SUT. */
struct net_sut {
	/* The positions of all connections that are open. */
	u32 (*open_connections)(const struct cache_pos **out, u32 room);
	/* Has a connection to a server been closed, of which it may not know? */
	bool (*closed_any)(void);
};
/* Once, before the search. */
void net_register(const struct net_sut *sut);

/*
 * On a fiber. 0, or a negative errno for the SUT. Any other error does not return: the transition is
 * abandoned, the search goes on elsewhere or ends.
 */
long net_connect(const struct net_address *to, struct cache_pos *pos);
/* The connection of client peer number `client` (from 1) to the listener bound to `local`. */
long net_accept(const struct net_address *local, u32 client, struct cache_pos *pos);
/* Does a sender have to wait, because the peer does not read? A pure lookup. */
bool net_is_full(const struct cache_pos *pos);
/*
 * A client's next connection, behind the one that stood at *last: is there one (asks),
 * and take it. On a fiber only.
 */
bool net_comes_again(const struct cache_pos *last);
long net_accept_again(const struct cache_pos *last, struct cache_pos *pos);

/*
 * Joint clients (NET_JOINT): those that have several connections at a time. net_accept leads to the
 * conversation with all of them; each has a position of its own, with its number in `connection`, and all
 * positions of a client are moved together (branch, written).
 */
bool net_client_is_joint(u32 client);
/* How many connections it opens by itself, at first: make it known, look; 0: not known. */
void net_resolve_first(const struct net_address *local, u32 client);
u32 net_first_connections(const struct net_address *local, u32 client);
/* How many it has opened by *pos; 0: not known. */
u32 net_connections(const struct cache_pos *pos);
/*
 * Joint servers: all connections to server peers are one conversation. *all: where it is, zero before the
 * first connect, and moves. number: of the connection, which no other open one has; 0: there is none left.
 */
bool net_servers_are_joint(void);
long net_connect_joint(struct cache_pos *all, const struct net_address *to, u32 number,
		       struct cache_pos *pos);
/* The SUT closes the connection. */
long net_leave(struct cache_pos *pos);
/*
 * Nothing happens until the client speaks by itself, as its time-out ends: would it (asks, and may take
 * long)? And let that happen. *pos: of its conversation.
 */
bool net_would_speak(const struct cache_pos *pos);
long net_pass_time(struct cache_pos *pos);
/*
 * The program lets so much time pass (ns; 0: in a wait for something else). Are joint servers told? Where
 * that would make a difference and is not done yet, it is learnt.
 */
bool net_moves_clocks(u64 ns);
/* Tell them. On a fiber. */
long net_move_clocks(struct cache_pos *all, u64 ns);
/* They were not told any more. */
void net_note_untold_time(void);

long net_write(struct cache_pos *pos, const void *data, size_t n);
long net_end(struct cache_pos *pos);
long net_close(struct cache_pos *pos);
/* Copy n of the bytes that net_look showed to memory of ours (not the SUT's), `skip` beyond pos->read. */
void net_copy(const struct cache_pos *pos, u64 skip, void *to, size_t n);

/*
 * Make sure that it is known what can be read there; does nothing for a position that is not open. On a
 * fiber, an error does not return; in the engine the position stays unknown, and the search will end or does
 * not follow this execution.
 */
void net_resolve(const struct cache_pos *pos);
/* What can be read. Nothing is asked; false: the position is not known, and nothing can be read. */
bool net_look(const struct cache_pos *pos, u64 *bytes, u32 *flags);
/* Both at once. */
u64 net_ask(const struct cache_pos *pos, u32 *flags);
/*
 * Are there positions that could not be resolved? Else the one that net_look does not know was forgotten: an
 * error of ours.
 */
bool net_has_unknown(void);

/*
 * Client peers: their number, and the lowest that is not yet taken (bit n - 1 of taken) and comes to `port`;
 * 0: none left.
 */
u32 net_next_client(const u64 *taken, u16 port);
/* May this one be the next to come to `port`? Of each class it is the lowest that is left. */
bool net_client_is_next(const u64 *taken, u32 client, u16 port);

/*
 * How many there are; does this one come to `port`; do they all share one tree, so that none differs from
 * another?
 */
u32 net_clients(void);
bool net_client_comes_to(u32 client, u16 port);
bool net_clients_identical(void);

/* May a peer listen at a path that the file system does not have? (A server's {path:NAME} stands for it.) */
bool net_may_serve(const struct net_address *path);

/* ---- for the engine ---- */

/* Must the search end? */
bool net_stopped(void);
/*
 * Which clients, and whether the servers, are joint: what other workers learn counts from the next restart on
 * (rt_load_lessons).
 */
void net_load_lessons(void);
/* Has a client gone on that was taken for idle, in whatever worker's execution? Then a restart is wanted. */
void net_look_at_idle(void);
/*
 * Nobody can go on: is the peer really silent there? false: it is not; the search will end without a verdict.
 */
bool net_check_silence(const struct cache_pos *pos);
/*
 * An execution is over, and every connection the SUT ever tried was refused: no peer was started. That is a
 * mistake of the user's, not a behaviour to be checked (unless --allow-refused).
 */
void net_abort_if_never_connected(void);
/* The client peer at the other end; 0: a server. */
u32 net_client_of(const struct cache_pos *pos);
/* A connection, no datagrams: has the peer said something there, and the SUT written since? */
bool net_answered(const struct cache_pos *pos);
/*
 * Nobody can go on, and a client waits there: for more that the SUT would send? That is told by executions
 * that do. If one is seen later only, the search starts again.
 */
bool net_waits_for_more(const struct cache_pos *pos);
void net_backtracked(void);
/* A transition has ended: peers may have to be saved. */
void net_step_ended(void);
/* After a complete search: --recheck. */
void net_recheck(void);
/* At the end of any search: what all workers have counted by now is put down in the result. */
void net_note_counts(void);
/* What the peer at the other end of *pos was waiting for, in words; nothing if unknown. */
void net_describe_peer(const struct cache_pos *pos, struct text *t);

#endif
