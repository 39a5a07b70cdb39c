/*
 * checkpoint.h: saves peers as they stand and brings them back: the physical half of checkpoints. When to
 * save, which one to go back to and what to replay from there is the caller's business.
 *
 * A peer is named by the pid that peer/ gives it (its keeper's), which stays the same however often it is
 * brought back. Of each peer one copy runs at a time: what is saved and replaced is that, and all that it
 * has forked or started (members.h). Three ways
 * (backends) do it; one of them is chosen per peer, with a reason that is shown:
 *
 *   fork     a library in the peer (shim/) clones it. The copy is frozen, and thawed any number of times.
 *   criu     the criu command writes it to disk. For process trees.
 *   restart  nothing is saved: the peer is ended and started again. Right for deterministic peers only, and
 *            only the first checkpoint, before anything was sent, can be taken.
 *
 * Contract for all functions that name a peer: it is at rest (broker/quiesce.c), and everything that it
 * said has been taken from the connections. Connections are not part of what is saved:
 *   - The caller names its ends of the accepted connections when it saves, and gets fresh ends in the same
 *     order when it brings the peer back; they are stream sockets, non-blocking and close-on-exec. What
 *     the peer has not read of the old ones is in the queue of the fresh ones, before the call returns.
 *     What it had shut down is shut down. The caller closes its old ends; it may have closed them long
 *     before.
 *   - Connections that the peer had not accepted are not saved: the caller opens them anew. Those that
 *     wait in its backlog when it is brought back are thrown away unseen.
 *   - Datagram sockets of the peer stay what they are: the caller's ends go on working.
 * Whatever the peer says between being brought back and being asked is a sign that it was not at rest.
 *
 * Nothing outlives checkpoints_free, or us: saved processes end when their control socket closes, and they
 * are below their keeper, which ends them with the peer.
 */
#ifndef HEDDLE_CHECKPOINT_CHECKPOINT_H
#define HEDDLE_CHECKPOINT_CHECKPOINT_H

#include <sys/types.h>

#include "launch/problem.h"
#include "peer/peer.h"

enum checkpoint_choice { CHECKPOINT_AUTO = 0, CHECKPOINT_FORK, CHECKPOINT_CRIU, CHECKPOINT_RESTART };

struct checkpoint_options {
	enum checkpoint_choice choice; /* --checkpoint-backend */
	u64 max_bytes;    /* saved processes may need so much memory; 0: a quarter of what there is */
	u64 start_chance; /* another one: what peers draw before they talk to anybody is something else */
};

/* What a peer was seen to do that may be different in another run. */
struct checkpoint_act {
	const char *call; /* "getrandom" */
	u64 count;
	bool tamed; /* the shim makes it the same in each run (the clock): it needs no checkpoint */
};

struct checkpoint_cost {
	u64 saves, restores, restarts;       /* how often */
	u64 save_ns, restore_ns, restart_ns; /* on average; 0: never measured */
	u64 bytes;                           /* of memory or disk that saved ones need now */
};

struct checkpoints;

/*
 * Before the peers are started. Fills in `wrap` of *peers, so that peers start with the shim where it is
 * to be used. -1: the chosen backend does not work here, *p says why; with CHECKPOINT_AUTO it never fails
 * for that.
 */
struct checkpoints *checkpoints_create(const struct checkpoint_options *o, struct peer_options *peers,
				       struct problem *p);
/* All that is saved is given up. Peers that run are left alone. s may be NULL. */
void checkpoints_free(struct checkpoints *s);
/* Who restarts peers; once both exist. */
void checkpoints_set_peers(struct checkpoints *s, struct peers *peers, struct broker *b);

/*
 * A peer rests for the first time, or for the first time with these connections: the backend is chosen.
 * -1: a backend was asked for that cannot hold it; *p says why, and what helps.
 */
int checkpoint_adopt(struct checkpoints *s, pid_t peer, struct problem *p);
/* It was ended for good, with all that was saved of it. */
void checkpoint_forget(struct checkpoints *s, pid_t peer);
/*
 * These two talk to each other, or are asked by one program in turn: from now on saving and restoring
 * `peer` means both. They are saved by fork, or not at all.
 */
void checkpoint_join(struct checkpoints *s, pid_t peer, pid_t with);
/* "fork", and in words why. Valid until the peer is forgotten. */
const char *checkpoint_backend(const struct checkpoints *s, pid_t peer, const char **reason);
/* Can it be saved as it stands, and not only at its start? */
bool checkpoint_can_save(const struct checkpoints *s, pid_t peer);

/*
 * Save it. fd: our ends of its connections. *id: from 1 on, never used again. -EOPNOTSUPP: this backend can't
 * hold the peer as it is now, *p says what stops it; the peer goes on unharmed. -ENOSPC: too much memory
 * is in use, drop some. Other errors: the peer is lost.
 */
int checkpoint_save(struct checkpoints *s, pid_t peer, const int *fd, u32 n, u64 *id, struct problem *p);
/*
 * The running process of the peer is ended, and a copy of the saved one stands in its place. fd has room
 * for as many as were saved. *now: the peer; another one than before if it was restarted (backend
 * restart), when a server has come to rest, too, and a client is ended: the caller opens it anew
 * (NET_OPEN), and *now is 0.
 */
int checkpoint_restore(struct checkpoints *s, u64 id, int *fd, pid_t *now, struct problem *p);
/* Whose it is (0: no such), and how many connections it has. */
pid_t checkpoint_of(const struct checkpoints *s, u64 id, u32 *connections);
void checkpoint_drop(struct checkpoints *s, u64 id);

/*
 * The process that runs now, below its keeper: whoever looks at the peer looks at this one and what it starts
 * (quiet.h), not at its saved copies. 0: all below the keeper belongs to it.
 */
pid_t checkpoint_process(const struct checkpoints *s, pid_t peer);
/*
 * Has it done anything since the last call that may be different in another run? What is not known counts:
 * without a shim always true.
 */
bool checkpoint_acted(struct checkpoints *s, pid_t peer);
/* The list of all that was noticed of a peer, in a fixed order; returns how many. */
u32 checkpoint_acts(const struct checkpoints *s, pid_t peer, struct checkpoint_act *out, u32 cap);
/* Is anything noticed at all? False: it runs without the shim. */
bool checkpoint_notices(const struct checkpoints *s, pid_t peer);

/* What it has cost so far: of this peer, or with 0 of all. */
void checkpoint_cost(const struct checkpoints *s, pid_t peer, struct checkpoint_cost *out);
/* For heddle doctor: does this backend work here? False: why not. */
bool checkpoint_probe(enum checkpoint_choice backend, char *why, size_t cap);

#endif
