/*
 * cache_priv.h: the cache from inside.
 *
 *   cache.c      the interface: opens, writes, looks; what is known is answered here
 *   branching.c, linear.c, none.c   what happens to the rest: one table of functions each
 *   physical.c   physical connections: opening and closing, taking one and bringing it to a position
 *   record.c     what a peer said, compared with the tree or added to it
 *   clock_reading.c   answers that differ in the time they tell
 *   silence_check.c   a last look before silence is called a deadlock
 *   recheck.c    recorded conversations once more, at the end
 *   saved.c      checkpoints of peers
 *   joint_symbols.c  symbols of clients with several connections
 *   cache_share.c    a cache of several processes
 *   cache_error.c, cache_error_text.c   what went wrong, in words
 */
#ifndef HEDDLE_IOCACHE_CACHE_PRIV_H
#define HEDDLE_IOCACHE_CACHE_PRIV_H

#include "base/pages.h"
#include "base/shared_lock.h"
#include "base/text.h"
#include "iocache/cache.h"
#include "wire/net_joint.h"

#define CACHE_MAX_OPEN 2048u
#define CACHE_HURRIED 4096u /* of more trees than that, none is hurried */
#define CACHE_SCHEDULE 500u /* bytes of a schedule that are remembered */

#define CACHE_TIMES 8u /* so often a client that speaks by itself is followed */
#define NET_CLOSED (NET_EOF | NET_RESET)

/*
 * A physical connection. It always stands at a mark, and what it has heard is what the mark says: every
 * exchange ends with a quiet peer, and is recorded or compared at once. Where that fails, the connection is
 * dropped.
 */
struct physical {
	u32 conn; /* 0: free */
	u32 tree;
	u32 group; /* which peer it leads to; 0: not known */
	struct tree_at at;
	u64 said;     /* bytes heard since it was opened */
	u32 flags;    /* NET_CLOSED, heard */
	bool hurried; /* some answer was known, and time-outs were not waited for: transport.expect */
	/* Since it was last saved, or a transition ended: saved.c. */
	bool acted;     /* it did something non-deterministic */
	bool chose;     /* … a random number: in another run it is another one, for sure */
	bool moved;     /* something was said */
	bool opened;    /* a connection was made */
	bool unsavable; /* trying again is in vain */
	u64 last_use, epoch;
};

#define CACHE_SAVED 128u /* checkpoints at a time */
struct savepoint {
	u64 id; /* 0: free */
	u32 tree, group;
	struct tree_at at;
	u64 said;
	u32 flags;
	bool acted;   /* without it the way there may not be the same again */
	bool chose;   /* without it, it is not */
	bool hurried; /* as of the physical one */
	u64 last_use;
};

typedef bool physical_which(const struct cache *c, const struct physical *p, const void *arg);

struct cache_mode_ops {
	/*
	 * Is a connection that the trees know opened nevertheless? nth: simultaneous ones to this tree, this
	 * one included.
	 */
	bool (*open_again)(struct cache *c, u32 tree, u32 nth);
	/* A write, or an end, which goes beyond what is known (none: every one). *at moves behind it. */
	int (*send)(struct cache *c, u32 tree, struct tree_at *at, const void *data, size_t n, bool end);
	/* Make sure that the mark at `at` is there (none: that the connection is). */
	int (*look)(struct cache *c, u32 tree, const struct tree_at *at);
	int (*close)(struct cache *c, u32 tree, const struct tree_at *at);
	bool answers;   /* from the trees */
	bool forks;     /* trees may */
	bool instances; /* a tree for each simultaneous connection */
};
extern const struct cache_mode_ops branching_ops, linear_ops, linear_confirm_ops, none_ops;
int branching_send(struct cache *c, u32 tree, struct tree_at *at, const void *data, size_t n, bool end);
int branching_look(struct cache *c, u32 tree, const struct tree_at *at);
int branching_close(struct cache *c, u32 tree, const struct tree_at *at);

/*
 * What several processes have together beside the trees (cache_share). The order of locks: network, trees.
 *
 *   network  held by who may go beyond what the trees know: it alone adds to them and uses what follows here
 *   trees    held by who looks at them or changes them; free while a peer is waited for
 */
struct cache_common {
	struct shared_lock network, trees;
	u64 clock;
	u64 slow[CACHE_HURRIED / 64]; /* trees whose peer answered otherwise when it was hurried */
	struct net_checkpoints counts;
	u64 clock_readings; /* that differed: clock_readings_adopt */
	struct savepoint saved[CACHE_SAVED];
	struct physical conn[NET_MAX_CONNS];
};
_Static_assert(sizeof(struct cache_common) <= CACHE_COMMON_SIZE, "what processes have together");

struct cache {
	struct trees *t;
	struct cache_common *common;
	bool several; /* processes use it: cache_share */
	bool locked;  /* cache_lock */
	bool sole;    /* … with the lock for the network; or that is wanted */
	const struct cache_mode_ops *ops;
	bool live;
	bool confirm;   /* cache_set_confirm */
	bool may_share; /* servers that are taken for independent could be taken for joint */
	struct transport transport;
	struct transport_reply reply; /* the last one */
	struct cache_error error;
	u32 (*list)(void *self, const struct cache_pos **out, u32 room);
	void *list_self;
	void (*tell)(void *self, char *out, size_t cap);
	void *tell_self;
	u64 epoch;
	bool patient;               /* a peer is given all its time, whatever is known of its answer */
	u32 strategy;               /* enum net_checkpoint */
	bool save_clients;          /* they are started so that it is possible */
	bool touched;               /* a physical connection was used since a transition ended */
	struct pages_vec scratch;   /* bytes on their way out */
	struct pages_vec symbols;   /* joint_symbols.c */
	struct pages_vec heard_out; /* silence_check.c: struct heard_out */
	struct pages_vec schedules; /* linear: struct recorded, who recorded what */
	const struct cache_pos *open[CACHE_MAX_OPEN];
};

static inline bool at_equal(const struct tree_at *a, const struct tree_at *b)
{
	return a->branch == b->branch && a->written == b->written && a->ended == b->ended;
}
static inline struct tree_at pos_at(const struct cache_pos *pos)
{
	return (struct tree_at){.branch = pos->branch,
				.ended = pos->connection ? 0 : pos->ended, /* of a joint client: a symbol */
				.written = pos->written};
}
static inline struct tree_at root_at(const struct cache *c, u32 tree)
{
	return (struct tree_at){.branch = tree_root(c->t, tree)};
}
/* Is it to be done again, as the only one that uses the network? Asked before anything is changed. */
static inline bool must_be_sole(const struct cache *c)
{
	return c->several && !c->sole;
}
/* Fills c->open. */
u32 cache_list_open(struct cache *c);

/* ---- physical.c ---- */

/* Open one more for this tree, hear its greeting and record it or compare. */
int physical_open(struct cache *c, u32 tree, struct physical **out);
/* One that stands on the way to `to`, as far as possible; a fresh one if there is none. */
int physical_take(struct cache *c, u32 tree, const struct tree_at *to, struct physical **out);
/* The only one of a tree, if there is one (modes with instances). */
struct physical *physical_of_tree(struct cache *c, u32 tree);
void physical_close(struct cache *c, struct physical *p);
/* One that stands there; NULL: none does. */
struct physical *physical_find(struct cache *c, u32 tree, const struct tree_at *at);
bool physical_stands_at(const struct physical *p, u32 tree, const struct tree_at *at);
/*
 * Close those that the present state of the SUT does not need, of those that `which` names. Returns how many.
 */
u32 physical_close_spare(struct cache *c, physical_which *which, const void *arg);
/* Bring it to the last mark on the way to `to`, comparing all it says. */
int physical_bring(struct cache *c, struct physical *p, const struct tree_at *to);
/*
 * Bring it to *at, and on: send data, and the end; record or compare the answer. *at moves behind what was
 * sent.
 */
int physical_send(struct cache *c, struct physical *p, struct tree_at *at, const void *data, size_t n,
		  bool end);
/* Nothing is sent. Does the peer say more than it had? Then that is what went wrong. patient: wait for it. */
int physical_hear_more(struct cache *c, struct physical *p, bool patient);

/* ---- saved.c ---- */

/* Save the peer of p where it stands, if that is possible, and not done. */
void saved_take(struct cache *c, struct physical *p);
/* The farthest one on the way to `to`; NULL: none is. hurried: also one that was not given all its time. */
struct savepoint *saved_nearest(struct cache *c, u32 tree, const struct tree_at *to, bool hurried);
/* Bring it back; NULL: that has failed, and the peer with all that was saved of it is gone. */
struct physical *saved_restore(struct cache *c, struct savepoint *s);
/* By the times measured so far: is it cheaper to start the peer again, and to replay what leads to s? */
bool saved_is_dearer(struct cache *c, const struct savepoint *s);
/* Something has taken from `start` until now. */
void saved_measure(const struct cache *c, u64 start, u64 *sum, u64 *least);
/* The transport's clock. */
u64 saved_now(const struct cache *c);
/* The peer is about to be ended. */
void saved_drop_group(struct cache *c, u32 group);

/* ---- record.c ---- */

/* Let the tree hold data (and the end) from *at on, which moves behind it. */
int record_written(struct cache *c, struct tree_at *at, const void *data, size_t n, bool end);
/* c->reply was said at `at` by a connection that had said `said` bytes before. */
int record_reply(struct cache *c, u32 tree, const struct tree_at *at, u64 said);
/*
 * Nothing can be sent behind a reset: *at moves, and the answer is the reset again. false: there was no
 * reset.
 */
bool record_after_reset(struct cache *c, struct tree_at *at, const void *data, size_t n, bool end, int *err);

/* ---- joint_symbols.c: conversations with all connections of a client, or to the servers ---- */

/* The SUT connects; returns its bytes. */
#define JOINT_CONNECT_MAX (NET_JOINT_SYMBOL * (1 + NET_PACKED_MAX))
u32 joint_connect(u32 connection, const struct net_address *to, u8 out[JOINT_CONNECT_MAX]);
/* Was it refused? The errno; 0: it was not. */
u32 joint_refusal(const struct cache *c, const struct tree_at *at, u32 connection);

/* As symbols, 2 n bytes. NULL: memory is out. */
const u8 *joint_data(struct cache *c, u32 connection, const u8 *data, size_t n);
/* What was said on a connection, in all, on the way to `at`, where a mark is; flags: NET_EOF, NET_RESET. */
void joint_look(const struct cache *c, const struct tree_at *at, u32 connection, u64 *bytes, u32 *flags);
/* Copy n bytes of it, from `from` on. */
void joint_copy(const struct cache *c, const struct tree_at *at, u32 connection, u64 from, u8 *to, size_t n);
/* How many connections the client has opened on the way to `at`, where a mark is. */
u32 joint_connections(const struct cache *c, const struct tree_at *at);
/* As cache_answered. */
bool joint_answered(const struct cache *c, const struct tree_at *at, u32 connection);
/* How often did the client speak by itself on the way to `at`? */
u32 joint_times(const struct cache *c, const struct tree_at *at);
/* For people: "[1] GET / [2] …". */
void joint_put(struct text *t, const u8 *symbols, u64 n);

/* ---- clock_reading.c ---- */

/*
 * Of c->reply, said at `at` behind the first `said` bytes, so many bytes are recorded: where they tell
 * another time, and only that, the recorded one takes its place.
 */
void clock_readings_adopt(struct cache *c, const struct tree_at *at, u64 said, u64 known);

/* ---- cache_error.c: they fill in c->error and return its code ---- */

int error_out_of_memory(struct cache *c);
int error_refused(struct cache *c, u32 error);
/* c->reply.status is not 0. */
int error_of_reply(struct cache *c, u32 tree);
int error_refused_again(struct cache *c, u32 tree);
/* The peer did something non-deterministic at `at`, and is not followed there. */
int error_acted(struct cache *c, u32 tree, const struct tree_at *at);
int error_left(struct cache *c, const struct tree_key *k, const struct tree_at *at);
/* data was said at `at` behind the first `said` bytes; the mark at `against` is of another opinion. */
int error_nondeterministic(struct cache *c, u32 tree, const struct tree_at *at, u64 said,
			   const struct tree_at *against);
/* c->reply came when nobody had asked. */
int error_spoke_late(struct cache *c, u32 tree, const struct tree_at *at, bool patient);
int error_diverged_write(struct cache *c, u32 tree, const struct tree_at *at, const void *data, size_t n,
			 bool end);
int error_diverged_cut(struct cache *c, u32 tree, const struct tree_at *at);
int error_diverged_close(struct cache *c, u32 tree, const struct tree_at *at);

/* Linear: remember the present schedule as the one that recorded what lies behind `from`. */
void error_note_schedule(struct cache *c, u32 tree, u64 from);

void error_put_key(struct text *t, const struct tree_key *k);
void error_put_address(struct text *t, const struct net_address *a);
/* In quotes, unprintable bytes escaped; of long ones the beginning and the end. */
void error_put_bytes(struct text *t, const u8 *data, u64 n);

#endif
