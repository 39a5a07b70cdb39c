/*
 * live_replay.h: an execution that a search found is played once more with fresh peers: the program takes the
 * recorded steps, every request goes out over new connections, all of them in the order of the execution, and
 * every answer is compared with the one recorded.
 *
 * A search asks each connection by itself, and takes an answer from the tree when the same bytes were sent
 * before. That is right only for peers whose answers depend on nothing but their own connection. A peer that
 * remembers (a counter, a database) gives other answers here.
 */
#ifndef HEDDLE_SESSION_LIVE_REPLAY_H
#define HEDDLE_SESSION_LIVE_REPLAY_H

#include "session/collect.h"
#include "session/network.h"
#include "session/session.h"

struct live_replay {
	const struct session_plan *plan;
	const struct checkpoint_options *checkpoint; /* the search's */
	const struct launch *launch;                 /* the search's */
	struct network *network;                     /* its peers end, and fresh ones take their place */
	u64 *clock_readings;                         /* outcome_net's: those of the replays are added */
	const u64 *end_ms; /* samples are played until then (monotonic_ms); 0: as long as they may */
};

enum live_end {
	LIVE_SAME = 0,
	LIVE_DIFFERS, /* `why` says what */
	LIVE_FAILED,  /* it could not be played (no peers, interrupted): `why` */
};

#define LIVE_WHY 3072

/* violation: what the path leads to; VIOLATION_NONE: nothing. */
enum live_end live_replay(const struct live_replay *how, const struct findings *found, const u32 *path,
			  u64 len, enum violation_kind violation, char why[LIVE_WHY]);
/*
 * After a search without violations: the executions that it kept, as many as fit into a few seconds.
 * What differs makes `o` incomplete.
 */
void live_replay_samples(const struct live_replay *how, const struct findings *found, struct outcome *o);
/*
 * What the peers draw before their first connection is the same in each run (shim/start_chance.c). Does the
 * program see it? A few executions are played with peers that draw something else. True: it does, or nobody
 * can tell.
 */
bool live_replay_start_matters(const struct live_replay *how, const struct findings *found);

#endif
