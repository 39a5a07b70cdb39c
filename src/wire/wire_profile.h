/*
 * wire_profile.h: where the states of a search come from, as a worker tells it: the foremost of each list
 * (runtime/engine/engine_profile.h).
 */
#ifndef HEDDLE_WIRE_WIRE_PROFILE_H
#define HEDDLE_WIRE_WIRE_PROFILE_H

#include "base/base.h"

#define WIRE_PROFILE_MAX 16
#define WIRE_PROFILE_WHAT 128
/* A word that had fewer values is no reason for many states. */
#define WIRE_PROFILE_VALUES 32

struct wire_profile_place {
	u64 key;           /* the same for the same operation, object and pc */
	u64 pc;            /* the call's return address */
	u64 threads;       /* bit i: slot i; 63 stands for all from there on */
	u64 fresh;         /* new states that it led to */
	u64 met, outcomes; /* states in which it was one way of several to go on; in how many ways */
	char what[WIRE_PROFILE_WHAT]; /* what it does; addresses as {0x…} */
};

struct wire_profile_word {
	u64 address, pc; /* pc: where a thread stood before it changed it, for words without a name */
	u64 changes, values;
	u32 only_grows, only_shrinks;
	char what[64]; /* of the runtime's own memory: what it is; "": it is the program's */
};

struct wire_profile_lock {
	u64 object, uses;
	u32 thread;  /* from 1 */
	u32 workers; /* in the controller: how many told of it */
};

struct wire_profile {
	u32 every; /* one step, one state of so many was looked at; 1: all */
	u32 places, words, locks;
	u32 workers, pad; /* in the controller: whose this is */
	u64 fresh, met;   /* sums over all places, those left out too */
	struct wire_profile_place place[WIRE_PROFILE_MAX];
	struct wire_profile_word word[WIRE_PROFILE_MAX];
	struct wire_profile_lock lock[WIRE_PROFILE_MAX]; /* that one thread only uses; with --profile */
};

#endif
