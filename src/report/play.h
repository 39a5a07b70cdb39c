/*
 * play.h: run one recorded execution again in a fresh process and listen to it.
 */
#ifndef HEDDLE_REPORT_PLAY_H
#define HEDDLE_REPORT_PLAY_H

#include "launch/sut.h"
#include "report/story.h"

struct play_listener {
	void *self;
	/* The process is there; may be NULL. */
	void (*started)(void *self, pid_t pid);
	/* Each line as it happens; it dies after the call. May be NULL. */
	void (*line)(void *self, const struct story_line *l);
	/* The process stands still in its last event: addresses can be looked up. May be NULL. */
	void (*at_end)(void *self, struct symbols *symbols);
	/* Polled: true = give up. May be NULL. */
	bool (*give_up)(void *self);
};

enum play_end {
	PLAY_VIOLATION = 0, /* story->violation says which */
	PLAY_NO_VIOLATION,
	PLAY_NOT_FOLLOWED, /* an action of the path was not possible: `p` says which */
	PLAY_GIVEN_UP,
	PLAY_FAILED, /* the process could not be started or died: `p` says why */
};

/*
 * l->task.mode is WIRE_REPLAY; l->path and learnt are set. The caller ends *s, whatever is returned.
 * With task.gdb the process is stopped by SIGSTOP when this returns.
 */
enum play_end play(struct sut *s, const struct launch *l, const struct play_listener *listener,
		   struct story *story, struct problem *p);

/* "it was killed by signal 11 (…)", with the process's last words. */
void play_describe_death(const struct sut *s, char *out, size_t cap);

#endif
