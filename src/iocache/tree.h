/*
 * tree.h: communication trees: what was ever said on a connection, by bytes.
 *
 * The tree of a connection is a trie over the bytes the SUT writes, kept as branches: a branch is a string of
 * bytes that leaves its parent at a fixed position. Branches grow at their end and never split, so a position
 * (branch, bytes written since the root) keeps its meaning for ever, and equal writes lead to equal
 * positions: both matter, because positions are model state and are fingerprinted. A position at which a
 * branch leaves its parent belongs to the parent.
 *
 * What the peer answers hangs on the positions where it was polled (marks): a mark tells how much the peer
 * had said in all when it came to rest there, and whether it had closed. Where no mark is, nothing is known.
 * A peer that is deterministic says the same bytes on the way to the same position, so a branch stores only
 * what was said beyond its last ancestor's mark.
 *
 * The end of the SUT's writing (shutdown) is one more symbol: nothing follows it. Datagram connections have
 * the same trees; each datagram is four bytes of length, then its bytes, in both directions.
 *
 * All of it lies in one piece of memory and refers to itself by offsets: it is shared between processes,
 * saved and loaded as it is.
 */
#ifndef HEDDLE_IOCACHE_TREE_H
#define HEDDLE_IOCACHE_TREE_H

#include "base/base.h"
#include "wire/layout.h"
#include "wire/wire_net.h"

#define TREES_MAGIC 0x7365657274646568u
#define TREES_VERSION 4u
#define TREES_SIZE WIRE_TREES_SIZE /* of the piece of memory, sparse */
#define TREE_NONE 0xffffffffu

struct trees; /* the piece of memory */

/* Numbers shown at the end of a run; counted in shared memory. */
struct cache_stats {
	u64 hits, misses;   /* writes, opens and looks that were answered from the trees; that were not */
	u64 connections;    /* physical ones opened, first and again */
	u64 peer_starts;    /* client peers started, first and again */
	u64 bytes_sent;     /* physically, replayed ones included */
	u64 bytes_replayed; /* of them sent again to bring a fresh connection to a known position */
	u64 bytes_received;
	u64 polls; /* times a peer was waited for */
	u64 trees;
	u64 nodes; /* strings of bytes between marks and forks */
	u64 branches;
	u64 longest;   /* bytes of the longest trace, both ways */
	u64 rechecked; /* traces that were compared once more at the end: cache_recheck */
};

/* What a tree is about. Unused bytes zero. */
struct tree_key {
	struct net_address to; /* where the SUT connects; or where it listens */
	u32 client;            /* > 0: an accepted connection, of this client peer */
	/*
	 * Linear, none: a tree for each connection. Named by who opened it (thread number), and its
	 * number among the simultaneous ones of that thread, from 0, so that which tree a connection gets
	 * does not depend on other threads. Branching: 0.
	 */
	u32 owner, instance;
	/*
	 * A later connection of a client depends on what it was told before: where its last one was when the
	 * SUT closed it. after: that branch + 1; 0: it is the first.
	 */
	u32 after, after_ended;
	u64 after_written;
	/*
	 * All connections of a client, as symbols (NET_JOINT): 1. Without a client: of all server peers, and
	 * `to` is zero.
	 */
	u64 joint;
};

/* Initialise memory that is all zero; or see that it holds trees of this version. NULL: it does not. */
struct trees *trees_create(void *memory, enum cache_mode mode);
struct trees *trees_attach(void *memory, u64 size);
void trees_set_limit(struct trees *t, u64 size); /* how far the memory goes in which they may grow */
struct cache_stats *trees_stats(struct trees *t);
enum cache_mode trees_mode(const struct trees *t);
u64 trees_bytes(const struct trees *t); /* in use: what has to be saved */

u32 trees_count(const struct trees *t);
const struct tree_key *tree_key_of(const struct trees *t, u32 tree);
u32 tree_find(const struct trees *t, const struct tree_key *k); /* or TREE_NONE */
u32 tree_add(struct trees *t, const struct tree_key *k);        /* TREE_NONE: memory is out */
/*
 * Has a client turned out to be joint, or the servers? Then what was said on their connections is in another
 * tree.
 */
bool tree_is_superseded(const struct trees *t, u32 tree);
u32 tree_root(const struct trees *t, u32 tree); /* its first branch */

/* A branch, as a reader sees it. */
struct branch_view {
	u32 tree, parent; /* parent TREE_NONE: the root branch */
	u64 fork;         /* where it leaves the parent: bytes written since the root */
	const u8 *bytes;  /* written from fork on */
	u64 len;          /* its end is fork + len */
	bool ended;       /* followed by the end of writing */
	const u8 *reply;  /* said by the peer beyond reply_from */
	u64 reply_from, reply_len;
	u32 marks;
	bool used; /* tree_use was called: see there */
};
/*
 * at: a position; reply: bytes the peer had said there in all since the root; flags: NET_EOF, NET_RESET,
 * NET_TIMED, NET_GUESSED, NET_AGAIN, NET_GONE, NET_UNREAD.
 */
struct mark_view {
	u64 at, reply;
	bool ended; /* behind the end of writing */
	u32 flags;
	const char *note; /* what the peer's threads waited for; "" if nobody said */
};
u32 branches_count(const struct trees *t);
void branch_get(const struct trees *t, u32 branch, struct branch_view *out);
void mark_get(const struct trees *t, u32 branch, u32 n, struct mark_view *out); /* ascending */
u32 branch_first_child(const struct trees *t, u32 branch);
u32 branch_next_sibling(const struct trees *t, u32 branch);

/* ---- walking and growing: for cache.c ---- */

struct tree_at {
	u32 branch;
	u32 ended;
	u64 written;
};
/*
 * Follow data from *at as far as the tree knows it; *at moves, the number of bytes followed is returned.
 */
size_t tree_follow(const struct trees *t, struct tree_at *at, const void *data, size_t n);
bool tree_follow_end(const struct trees *t, struct tree_at *at);
/* Of a joint client: was it waited there until it speaks by itself (NET_JOINT_TIME)? *at moves on. */
bool tree_follow_time(const struct trees *t, struct tree_at *at);
/* Is it the end of a branch, where bytes can be appended without a fork? */
bool tree_is_leaf(const struct trees *t, const struct tree_at *at);
/* Append at *at (which the tree can't follow any more), forking if it is not a leaf. false: memory is out. */
bool tree_append(struct trees *t, struct tree_at *at, const void *data, size_t n);
bool tree_append_end(struct trees *t, struct tree_at *at);
/* The mark at a position; false: never polled there. */
bool tree_mark_at(const struct trees *t, const struct tree_at *at, struct mark_view *out);
/* The last mark at or before a position, on the way from the root; false: there is none. */
bool tree_mark_before(const struct trees *t, const struct tree_at *at, struct mark_view *out);
/* Record what the peer said since the mark before `at`. */
bool tree_mark_add(struct trees *t, const struct tree_at *at, const void *reply, size_t n, u32 flags,
		   const char *note);
/* Would that contradict what is recorded behind `at`? false: it would, at the mark *against. */
bool tree_mark_fits(const struct trees *t, const struct tree_at *at, const void *reply, size_t n, u32 flags,
		    struct tree_at *against);
/*
 * Does the peer, which is quiet at `at`, close in the end once it is written more? Where that was seen. The
 * end of writing does not count.
 */
bool tree_goes_on(const struct trees *t, const struct tree_at *at, struct tree_at *where);
/* The first mark behind `from` on the way to `to`, and its position; false: there is none. */
bool tree_mark_after(const struct trees *t, const struct tree_at *from, const struct tree_at *to,
		     struct tree_at *at, struct mark_view *out);
/* Copy reply bytes [from, from + n) on the way to `at`; n must be there. */
void tree_reply_copy(const struct trees *t, const struct tree_at *at, u64 from, void *to, size_t n);
/* How many of them equal data? */
size_t tree_reply_same(const struct trees *t, const struct tree_at *at, u64 from, const void *data, size_t n);
/* Copy written bytes likewise. */
void tree_bytes_copy(const struct trees *t, const struct tree_at *at, u64 from, void *to, size_t n);
/* Does the way to `far` pass through `near` (or end there)? */
bool tree_passes(const struct trees *t, const struct tree_at *near, const struct tree_at *far);
/*
 * Mark the way to `at` as used, so that only what an execution needs is saved with its trace
 * (trees_copy).
 */
void tree_use(struct trees *t, const struct tree_at *at);
void trees_use_nothing(struct trees *t);

/* Physical connections ever opened for a tree. */
u32 tree_opened(const struct trees *t, u32 tree);
void tree_count_open(struct trees *t, u32 tree);
/*
 * Of simultaneous connections the one with this number, from 1 on, is refused with this (positive) error; 0:
 * none was. A tree whose first one is has a root without a mark.
 */
u32 tree_refusal(const struct trees *t, u32 tree, u32 *error);
void tree_refuse(struct trees *t, u32 tree, u32 at, u32 error);

/*
 * Copy to other zeroed memory: everything, or only what was used. Returns the bytes in use there, 0: no room.
 */
u64 trees_copy(const struct trees *from, void *to, u64 size, bool used_only);

#endif
