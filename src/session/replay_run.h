/*
 * replay_run.h: run one recorded execution again in a fresh process and listen to it.
 */
#ifndef HEDDLE_SESSION_REPLAY_RUN_H
#define HEDDLE_SESSION_REPLAY_RUN_H

#include "launch/sut.h"
#include "report/execution_log.h"

struct replay_listener {
	void *self;
	/* The process is there; may be NULL. */
	void (*started)(void *self, pid_t pid);
	/* Each line as it happens; it dies after the call. May be NULL. */
	void (*line)(void *self, const struct log_entry *l);
	/* The process stands still in its last event: addresses can be looked up. May be NULL. */
	void (*at_end)(void *self, struct symbols *symbols);
	/* Polled: true = give up. May be NULL. */
	bool (*give_up)(void *self);
};

enum replay_end {
	REPLAY_VIOLATION = 0, /* log->violation says which */
	REPLAY_NO_VIOLATION,
	REPLAY_NOT_FOLLOWED, /* an action of the path was not possible: `p` says which */
	REPLAY_GIVEN_UP,
	REPLAY_FAILED, /* the process could not be started or died: `p` says why */
};

/*
 * l->task.mode is WIRE_REPLAY; l->path and learnt are set. The caller ends *s, whatever is returned.
 * With task.gdb the process is stopped by SIGSTOP when this returns.
 */
enum replay_end replay_process(struct sut *s, const struct launch *l, const struct replay_listener *listener,
			       struct execution_log *log, struct problem *p);

#endif
