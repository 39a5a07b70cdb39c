/*
 * shrink_run.h: a shorter way to a violation, found by a process of its own that tries many
 * (search/shrink.h). What comes out is still to be reproduced, like all that a search finds.
 */
#ifndef HEDDLE_SESSION_SHRINK_RUN_H
#define HEDDLE_SESSION_SHRINK_RUN_H

#include "launch/sut.h"
#include "report/violation_record.h"
#include "session/session.h"

/* Default time for it, and steps: so that the same comes out on a machine that is fast enough. */
#define SHRINK_MS 2000
#define SHRINK_STEPS 400000

struct shrink_plan {
	const struct launch *launch; /* program, settings without live peers, lessons, trees */
	const struct session_observer *observer;
	u64 max_ms, max_steps;
};

enum shrink_result {
	SHRINK_SHORTER = 0,   /* the violation has another path */
	SHRINK_SHORT_ALREADY, /* nothing shorter was found in that time */
	SHRINK_IMPOSSIBLE,    /* its path could not be followed: `p` says more */
};

/* Only kinds for which it is worth while, and paths that could be shorter. */
bool shrink_makes_sense(const struct violation *v);
enum shrink_result shrink_run(const struct shrink_plan *plan, struct violation *v, struct problem *p);

#endif
