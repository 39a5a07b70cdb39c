/*
 * follow.h: a search that makes the steps which a script tells, and finds out whether the script is the
 * truth.
 * The words come as a tape (tape.h). In place of a table of visited states there is a map FP from the
 * number
 * of a state to its fingerprint: the script says which states are equal, and all there is to do is to
 * compare.
 *
 * Whoever wrote the script is not trusted. That nothing is left out follows from four checks:
 *
 *   F1  The transitions that are told of a state are those that are enabled there: all of them, or with a
 *       reduction those that the reduction chooses, which knows the facts of the script alone.
 *   F2  A transition leads to a new state, whose transitions are told next, or to a state with the
 *       fingerprint that was met under the number told.
 *   F3  Nothing is learnt on the way that the script did not come with. If it is a lesson that makes steps
 *       finer, all is followed once more from the beginning, as any search starts again: a script that lacks
 *       it tells other steps then. A fact for the reduction that it lacks is a deviation at once.
 *   F4  Where transitions are left out by the reduction, one of the others leads to a state that is not on
 *       the path (dfs.c, proviso).
 *
 * By induction over the numbers every reachable state has one. A part of a script is checked in the same way;
 * what it takes for granted, numbers that other parts have, is compared when the maps of all parts are there.
 *
 * Trusted scripts (follow.trust) tell a spanning tree: each state once, no fingerprints, nothing is compared
 * but that a transition can be made. Nothing is left out or chosen then, so there is no reduction either: its
 * facts are passed over.
 */
#ifndef HEDDLE_SEARCH_FOLLOW_H
#define HEDDLE_SEARCH_FOLLOW_H

#include "search/target.h"
#include "search/tape.h"
#include "wire/wire_script.h"

struct follow {
	const struct tape_source *from;
	bool trust;
	bool part;                  /* of a script: numbers that were not met may be those of other parts */
	struct fingerprint *prints; /* FP, by number; zero: not met. NULL with trust */
	u64 room;                   /* numbers below have one */
	/* For parts, else NULL: states of which all transitions were made here, and pieces of others. */
	u8 *cover;
	struct wire_range_made *range;
	struct wire_busy_edge *busy; /* its transitions that are steps of busy waiting */
	u64 busy_room;
	struct wire_followed *out;
	bool begun; /* words were taken */
};

#endif
