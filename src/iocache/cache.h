/*
 * cache.h: the I/O cache: what the SUT's virtual sockets ask instead of the network.
 *
 * The SUT is rolled back, its peers are not. So what was ever said is remembered in trees (tree.h), and a
 * connection of the SUT is a pair of positions in one: struct cache_pos, which is model state and rolled back
 * with the SUT. All else here is persistent. Three modes behind one interface:
 *
 *   branching  a tree per destination or client; a write that is known costs nothing; one that is not is
 *              sent: on the physical connection that stands there, or on a fresh one that is brought there by
 *              replaying, comparing every recorded answer.
 *   linear     a tree per simultaneous connection that may never fork: other bytes than recorded, or a close
 *              before all recorded bytes were written, end the search.
 *   none       no answer is ever taken from a tree: after each backtrack (cache_backtracked) a connection is
 *              opened again and brought to its position before it is used. The baseline.
 *
 * Without a transport (replay, recorded trees) only what the trees hold can be answered: CACHE_LEFT.
 */
#ifndef HEDDLE_IOCACHE_CACHE_H
#define HEDDLE_IOCACHE_CACHE_H

#include "iocache/transport.h"
#include "iocache/tree.h"

/*
 * A connection of the SUT. Zero: not open. Every byte depends on what was said alone, not on who said it
 * when.
 */
struct cache_pos {
	u32 tree; /* + 1 */
	u32 branch;
	u64 written, read;
	u32 ended;
	/*
	 * Of a joint peer (NET_JOINT): the number of the connection, from 1; 0: it is a conversation of
	 * its own. `written` counts bytes of symbols, of all connections of that peer; `read` bytes of
	 * this one.
	 */
	u32 connection;
};

/*
 * What a call that can fail returns: 0; -errno: what the SUT is to see; or one of these. cache_error() has
 * the words.
 */
enum cache_code {
	CACHE_TOOL = -6000, /* no peer, or out of memory: the run ends with a tool error */
	CACHE_LEFT, /* not in the recorded trees, and there is no peer: this execution is not followed */
	/* linear: other bytes than recorded, or a premature close: incomplete, the search ends */
	CACHE_DIVERGED,
	CACHE_NONDETERMINISTIC, /* a replay got another answer than recorded: likewise */
	CACHE_INCOMPLETE, /* the peer is stuck, does not serve, answers elsewhere, is slow …: likewise */
	/* a client (cache_error.client) has several connections at a time, and is to be opened as joint */
	CACHE_JOINT,
	CACHE_SOLE, /* nothing was done: once more, as cache_unlock says. Only of shared ones */
};

/* What the last call that failed had to say. */
struct cache_error {
	int code;
	u32 client; /* of CACHE_JOINT */
	/*
	 * It was about a connection to a server that is taken for independent of others. Perhaps it is not:
	 * all of them as one conversation (key->joint) would tell.
	 */
	bool of_server;
	bool of_client; /* … of a client */
	/* Complete sentences for people: connection, request, recorded and new answer, and the way on. */
	char text[3000];
};

struct cache;

/*
 * memory: of TREES_SIZE, zeroed or holding trees. transport NULL: trees only. The cache itself lives in
 * pages_map memory. NULL: the memory holds something else, or trees of another mode; or there is no memory
 * for the cache. Without a transport, what is used is noted in the trees (tree_use), beginning with nothing.
 */
struct cache *cache_create(void *memory, enum cache_mode mode, const struct transport *transport);
/*
 * Several processes have the same trees and the same peers, and each has a cache: `common` is memory that
 * they share, zeroed, of CACHE_COMMON_SIZE. Modes none and linear are of one process. From then on every call
 * below that asks or looks is put between cache_lock and cache_unlock, which do nothing otherwise:
 *
 *	do {
 *		cache_lock(c);
 *		err = cache_…(c, …);
 *	} while (cache_unlock(c, err));
 *
 * What the trees know is answered to all at a time. Only one goes beyond them: a call that has to is repeated
 * as the only one, and may find that another has been faster. Who waits for a peer calls cache_wait before
 * and after (the transport does): others may look meanwhile.
 */
#define CACHE_COMMON_SIZE (1UL << 20)
struct cache *cache_create_shared(void *memory, enum cache_mode mode, const struct transport *transport,
				  void *common);
void cache_lock(struct cache *c);
void cache_lock_sole(
	struct cache *c); /* as the only one at once: cache_step_ended, _recheck, _forget_servers */
bool cache_unlock(struct cache *c, int err);
void cache_wait(struct cache *c, bool waits);
struct trees *cache_trees(struct cache *c);
const struct cache_error *cache_error(const struct cache *c);

/*
 * The positions of all connections that are open in the current state: asked when a choice depends on them
 * (which instance is free, which physical connections are in use). Set once.
 */
void cache_set_open_list(struct cache *c, u32 (*list)(void *self, const struct cache_pos **out, u32 room),
			 void *self);
/* Who is running, for messages: "thread 2, step 17 (schedule 1 1 2 2 …)". Set once; may be NULL. */
void cache_set_schedule(struct cache *c, void (*tell)(void *self, char *out, size_t cap), void *self);

/*
 * key->instance is chosen here; key->owner: the thread that opens, from 1. On success *pos is at the root,
 * and the greeting is known.
 */
int cache_open(struct cache *c, const struct tree_key *key, struct cache_pos *pos);
/*
 * The connection that stood at *last was closed by the SUT, or the client has given it up (NET_AGAIN): does
 * the client open another one? 1: yes, 0: no. It may have to be asked (I/O).
 */
int cache_resolve_again(struct cache *c, const struct cache_pos *last);
/* That connection: like cache_open. */
int cache_open_again(struct cache *c, const struct cache_pos *last, struct cache_pos *pos);
/*
 * Joint clients. key->joint: cache_open leads to the conversation with all connections of the client; a
 * position with its `connection` set belongs to one of them. Where one is written to, ended or left, all
 * others have to follow (branch, written): the caller sees to that.
 */
/* Make sure that it is known how many connections such a client opens by itself. */
int cache_resolve_first(struct cache *c, const struct tree_key *key);
/* How many that are; 0: not known. A pure lookup. */
u32 cache_first_connections(const struct cache *c, const struct tree_key *key);
/* How many it has opened by *pos; 0: the position was never resolved. A pure lookup. */
u32 cache_connections(const struct cache *c, const struct cache_pos *pos);
/*
 * Nothing happens, until the client speaks by itself: does it, at *pos, of its whole conversation? 1: yes,
 * 0: no, or not known. It may have to be waited for. Then let that happen: *pos moves.
 */
int cache_resolve_late(struct cache *c, const struct cache_pos *pos);
int cache_pass_time(struct cache *c, struct cache_pos *pos);
/* Joint servers: so much time (ns) has passed for the SUT. *all moves. */
int cache_move_clocks(struct cache *c, struct cache_pos *all, u64 ns);
/*
 * Joint servers (key->joint, no key->client): cache_open starts their conversation at *all, and then the SUT
 * connects, with a number that none of its open connections to them has. *all moves, whether it succeeds or
 * is refused (-errno). *pos: the connection.
 */
int cache_connect(struct cache *c, struct cache_pos *all, const struct net_address *to, u32 connection,
		  struct cache_pos *pos);
/* May they become so, if need be? Then what is against their independence is an error. */
void cache_may_join_servers(struct cache *c, bool may);
/* Server peers are joint from now on: physical connections that took them for independent are closed. */
void cache_forget_servers(struct cache *c);
/* The SUT closes the connection. pos stays, behind that. */
int cache_leave(struct cache *c, struct cache_pos *pos);

/* All n bytes go, or none. */
int cache_write(struct cache *c, struct cache_pos *pos, const void *data, size_t n);
/* The SUT shuts down its writing side. */
int cache_end(struct cache *c, struct cache_pos *pos);
/* Linear mode looks for a premature close. *pos becomes zero. */
int cache_close(struct cache *c, struct cache_pos *pos);

/*
 * Make sure that it is known what can be read at *pos: from the tree, or by asking the peer there (I/O). To
 * be called before cache_look, once for a state.
 */
int cache_resolve(struct cache *c, const struct cache_pos *pos);
/*
 * What can be read: *bytes beyond pos->read, and flags (NET_EOF, NET_RESET: behind those bytes; NET_TIMED,
 * NET_GUESSED; of clients NET_AGAIN, NET_GONE). A pure lookup; false: the position was never resolved.
 */
bool cache_look(const struct cache *c, const struct cache_pos *pos, u64 *bytes, u32 *flags);
/* How many bytes has the peer not read at *pos? Counted from where it had last read all. A pure lookup. */
u64 cache_unread(const struct cache *c, const struct cache_pos *pos);
/*
 * Copy n of them, starting `skip` bytes beyond pos->read; the caller moves pos->read. Call cache_look first.
 */
void cache_copy(struct cache *c, const struct cache_pos *pos, u64 skip, void *to, size_t n);
/*
 * Has the peer said something, and the SUT written since? Then what it asked was answered, as far as can be
 * told from outside. False also where the position was never resolved.
 */
bool cache_answered(const struct cache *c, const struct cache_pos *pos);
/* What its tree is about. */
struct tree_key cache_key(const struct cache *c, const struct cache_pos *pos);
/*
 * The peer is quiet at *pos. Was it seen to close in the end where it was written more from there? Then it
 * was waiting for that: who only listens does not leave. False also where nobody knows, as of peers that act
 * in time.
 */
bool cache_goes_on(struct cache *c, const struct cache_pos *pos);
/* What the peer's threads waited for when it was last heard on the way to *pos; "" if unknown. */
const char *cache_peer_note(struct cache *c, const struct cache_pos *pos);

/*
 * Recorded conversations, `most` of them at most, go once more over fresh connections; an answer that
 * differs: CACHE_NONDETERMINISTIC. See recheck.c.
 */
int cache_recheck(struct cache *c, u64 most);

/*
 * Is the peer really silent at *pos, where the SUT waits and nobody can go on? If it is not, the search ends,
 * incomplete. closed_others: the SUT has closed a connection to a server, of which that was not told.
 */
int cache_check_silence(struct cache *c, const struct cache_pos *pos, bool closed_others);

/*
 * A known execution is played with live peers: every request goes out, in the order in which the SUT makes
 * them, and every answer is compared with the trees. Not in mode none.
 */
void cache_set_confirm(struct cache *c);

/* How often an answer told another time than the recorded one, and counted as the same: clock_reading.c. */
u64 cache_clock_readings(const struct cache *c);

/*
 * Checkpoints (--checkpoint, saved.c): after which transitions, and can clients be saved, too; a transition
 * has ended; what came of it so far.
 */
void cache_set_checkpoint(struct cache *c, enum net_checkpoint strategy, bool clients);
bool cache_wants_step(const struct cache *c); /* cache_step_ended has something to do */
void cache_step_ended(struct cache *c);
const struct net_checkpoints *cache_checkpoints(const struct cache *c);

/* The SUT was rolled back: mode none remembers it. Cheap. */
void cache_backtracked(struct cache *c);

#endif
