/*
 * violation.h: what a violation is, in the one form in which it travels from the runtime to the reports,
 * and what is true of each kind.
 */
#ifndef HEDDLE_WIRE_VIOLATION_H
#define HEDDLE_WIRE_VIOLATION_H

#include "base/base.h"

/* Numbers are part of the wire; names (violation_traits) are part of traces and reports. Append only. */
enum violation_kind {
	VIOLATION_NONE = 0,
	VIOLATION_DEADLOCK,
	VIOLATION_CRASH,
	VIOLATION_ABORT,
	VIOLATION_ASSERT,
	VIOLATION_RACE,
	VIOLATION_LOCK_MISUSE,
	VIOLATION_COMM_DEADLOCK,
	VIOLATION_HANG,
	VIOLATION_INVARIANT,
	VIOLATION_EXIT_STATUS,
	VIOLATION_LIVELOCK,
	VIOLATION_FD_MISUSE,
	VIOLATION_KINDS
};

#define VIOLATION_MESSAGE 1024
struct wire_violation {
	u32 kind, thread;     /* enum violation_kind; fiber slot */
	u64 pc, address, key; /* key: the same for the same kind and place or text (engine/violation_key.h) */
	u32 signo;
	u32 other_thread; /* race: the other side */
	u32 doubtful;     /* its path uses a call that heddle refuses, and may not exist with the real call */
	u32 by_walk;      /* found by a walk before or beside the search (search/prelude.h) */
	u64 other_pc;
	u64 path_offset, path_len;       /* of the actions that lead there, in the wire's arena */
	char message[VIOLATION_MESSAGE]; /* addresses as {0x…} */
};

struct violation_traits {
	const char *name;          /* in traces, reports and options */
	bool concerns_all_threads; /* no single thread did it: all are shown, none in particular */
	bool keyed_by_text;        /* two of them are the same if their texts are; else if their places are */
	/* its path ends with one round of a loop, in a state that the path has been in before */
	bool ends_in_loop;
	bool names_peers; /* its text goes on with what peers do, which changes from run to run */
};

/* The traits of a kind; those of VIOLATION_NONE for numbers that are no kind. */
const struct violation_traits *violation_traits(u32 kind);
/* The kind with this name; VIOLATION_NONE if there is none. */
enum violation_kind violation_kind_named(const char *name);

#endif
