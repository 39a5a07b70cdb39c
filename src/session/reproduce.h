/*
 * reproduce.h: nothing is reported that did not happen twice. Each violation of a search is run again in a
 * fresh process, which also gives the log of the execution; refused calls and the like get their source
 * lines the same way.
 */
#ifndef HEDDLE_SESSION_REPRODUCE_H
#define HEDDLE_SESSION_REPRODUCE_H

#include "session/collect.h"
#include "session/session.h"

struct ignored_races {
	struct wire_ignored race[WIRE_MAX_IGNORED];
	u32 count;
};

struct reproduction {
	const struct launch *launch; /* the search's */
	const struct session_observer *observer;
	const struct suppressions *suppressions;
	struct ignored_races *ignored;  /* suppressed races join it: the next search passes them over */
	u64 shrink_ms;                  /* for shorter paths to violations, all together; 0: as found */
	const struct live_replay *live; /* what was heard from peers is asked once more; NULL: not */
};

/*
 * Reproduced violations join `o` with their traces, taken out of `found`; the others are counted there. -1:
 * no memory, or too many suppressed races.
 */
int reproduce_violations(const struct reproduction *how, struct findings *found, struct outcome *o,
			 struct problem *p);
/*
 * Source lines for refused calls, and names for what is used without synchronisation. Fails never: what
 * can't be found stays an address.
 */
void reproduce_places(const struct reproduction *how, const struct findings *found, struct outcome *o);

#endif
