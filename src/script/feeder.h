/*
 * feeder.h: a script, or a part of one, as the words that a follower is told (search/tape.h).
 */
#ifndef HEDDLE_SCRIPT_FEEDER_H
#define HEDDLE_SCRIPT_FEEDER_H

#include "script/reader.h"
#include "search/tape.h"

/* Transitions from ... to, counted from 0. */
struct script_interval {
	u64 from, to;
};

/* Places of the script's modules in a process of the program become known: labels get their pc. */
void script_place_labels(struct script *s, const struct modules *here);

/* All of it. -1: p says why; text "": nobody takes the words any more. */
int script_feed(struct script *s, const struct tape_sink *to, struct problem *p);
/*
 * These intervals, in ascending order; *longest: how many steps lead to the one that is farthest from the
 * initial state; *sum: of all those lengths.
 */
int script_feed_part(struct script *s, const struct script_interval *at, u32 n, const struct tape_sink *to,
		     u64 *longest, u64 *sum, struct problem *p);

#endif
