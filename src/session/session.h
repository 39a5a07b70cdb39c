/*
 * session.h: one check from beginning to end: start the peers and the workers, serve their requests,
 * collect what they found, reproduce each violation in a fresh process. Prints nothing; an observer is told
 * what goes on.
 *
 *   session_run
 *     network_start                     peers and broker (network.h)
 *     per round:                        a round more when a suppressed race hid something
 *       shared_part_create, sut_start   the workers (launch/)
 *       until all have ended: poll, network_serve, observer->tick
 *       collect_worker                  their results, checked for sense (collect.h)
 *       reproduce_violations            for each a shorter way (shrink_run.h), and replay_process
 *                                       (reproduce.h, replay_run.h)
 *     network_end
 */
#ifndef HEDDLE_SESSION_SESSION_H
#define HEDDLE_SESSION_SESSION_H

#include "broker/broker.h"
#include "launch/sut.h"
#include "peer/peer.h"
#include "report/outcome.h"
#include "session/suppressions.h"

struct script_plan;

/* How far a search is. Of several workers the sum. */
struct session_progress {
	struct search_stats stats;
	u64 clock_ns; /* how far the program's clock got in any execution; 0: it does not look */
	u64 elapsed_ms;
	bool network;     /* connections were made */
	u64 hits, misses; /* of the cache */
	u64 peers;        /* that run now */
};

/* Who watches a session, and may end it. All functions must be there. */
struct session_observer {
	void *self;
	/* Several times a second while a search runs. */
	void (*tick)(void *self, const struct session_progress *progress);
	/* The search was asked to stop. */
	void (*stopping)(void *self);
	/*
	 * A process of the program starts, or has ended: on the second request to stop the observer kills
	 * those that run.
	 */
	void (*process)(void *self, pid_t pid, bool runs);
	/* How often somebody asked to stop so far: once, cleanly; twice, at once. */
	int (*stop_requests)(void *self);
};

struct session_ranks;

struct session_plan {
	struct launch launch;   /* program, arguments, settings, perhaps recorded trees */
	u32 workers;            /* 1 … WIRE_MAX_WORKERS */
	u64 join_ms;            /* the search begins with one of them; after this time the others join it */
	bool workers_asked;     /* the user wants so many: is told why, if there are fewer */
	const char *save_dir;   /* where the search is saved (saved_search.h); NULL: it is not */
	u64 save_ms;            /* … so often */
	const char *resume_dir; /* it goes on from what was saved there; NULL: from the beginning */
	/* For programs with live peers (launch.config.net.live). */
	struct peer_options peers;
	struct broker_options broker;
	const struct checkpoint_options *checkpoint; /* NULL: peers are not saved */
	u32 peer_branches;                           /* --peer-branches; 0: 1 */
	u64 shrink_ms; /* time to find shorter paths to violations; 0: they stay as found */
	bool confirm;  /* violations with peers are played once more, with fresh ones */
	const struct suppressions *suppressions;
	const struct session_observer *observer;
	struct script_plan
		*script; /* a script is written, or followed (script_run.h); NULL: none. One worker */
	const struct session_ranks *ranks; /* one rank of many (ranks.h); NULL: by itself */
};

/* Fills in what a search has to say. -1: tool error, there is no verdict. 1: another rank reports. */
int session_run(const struct session_plan *plan, struct outcome *o, struct problem *p);

/* Only the fingerprint of the initial state. */
int session_fingerprint(const struct launch *l, const struct session_observer *observer,
			struct fingerprint *out, struct problem *p);

#endif
