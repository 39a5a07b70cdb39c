/*
 * gdb.h: a debugger on a recorded execution. gdb runs heddle-gdb.py, which asks this side over a socket for
 * processes that stand before a certain step, or at the end, and attaches to them. Going back is a fresh
 * process that stops earlier. While gdb lets a process run on, this side hears its events and shows what the
 * program writes.
 */
#ifndef HEDDLE_CLI_GDB_H
#define HEDDLE_CLI_GDB_H

#include "session/replay_run.h"

struct gdb_call {
	struct launch launch; /* of the replay, task included; gdb_run sets task.gdb and task.pause_at */
	u64 at;               /* the step to begin before; REPLAY_NO_PAUSE: at the end */
	const char *args;     /* further arguments for gdb, as a shell would split them; may be NULL */
};

/* Returns when gdb has ended; nothing is left running. */
int gdb_run(const struct gdb_call *call, struct problem *p);

#endif
