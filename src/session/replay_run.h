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
	/* What the last step changed, a line each; dies after the call. May be NULL. */
	void (*changed)(void *self, const char *text);
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
	REPLAY_PAUSED, /* before step task.pause_at; only with task.gdb */
};

/*
 * l->task.mode is WIRE_REPLAY; l->path and learnt are set. The caller ends *s, whatever is returned.
 * With task.gdb the process is stopped by SIGSTOP when this returns.
 */
enum replay_end replay_process(struct sut *s, const struct launch *l, const struct replay_listener *listener,
			       struct execution_log *log, struct problem *p);

/*
 * The same in pieces, for debuggers: task.gdb is set. The process stands still whenever replay_listen says
 * REPLAY_PAUSED or REPLAY_VIOLATION: stopped by SIGSTOP the first time, in heddle_replay_pause later. Whoever
 * lets it run on calls replay_listen again; REPLAY_GIVEN_UP only says that give_up wanted the control back.
 */
struct replay;
/* NULL: it could not be started, `p` says why. Borrows l, listener and p until replay_close. */
struct replay *replay_open(const struct launch *l, const struct replay_listener *listener, struct problem *p);
enum replay_end replay_listen(struct replay *r);
/* The next pause is before this step; REPLAY_NO_PAUSE: none. */
#define REPLAY_NO_PAUSE (~0ul)
void replay_pause_at(struct replay *r, u64 step);
pid_t replay_pid(const struct replay *r);
/* What happened so far; the fibers are those of the last pause, or of the end. */
const struct execution_log *replay_log(const struct replay *r);
/* Ends the process, too. NULL is allowed. */
void replay_close(struct replay *r);

#endif
