/*
 * waits.h: what a thread of a peer is doing, from the one line of /proc/PID/task/TID/syscall. Pure: text in,
 * words out.
 */
#ifndef HEDDLE_BROKER_WAITS_H
#define HEDDLE_BROKER_WAITS_H

#include "base/base.h"

enum wait_kind {
	WAIT_RUNS = 0, /* runs, or is in a call that ends by itself */
	WAIT_INPUT,    /* until somebody gives it something */
	WAIT_TIMED,    /* the same, but with a time-out */
	WAIT_SLEEP,    /* for time to pass: a pause before it goes on */
	WAIT_FILE,     /* reads or writes descriptor arg[0]: waits unless that is a file on disk */
	WAIT_DEAD,     /* ended, not yet reaped */
};

struct wait {
	enum wait_kind kind;
	long call; /* number of the system call; -1: in none */
	u64 arg[6];
	u64 sp, pc; /* where in the program: the same place has the same two */
};

/* Never fails: what it does not understand runs. */
void wait_parse(const char *line, struct wait *w);
/* "recvfrom", "epoll_wait", "system call 321". */
void wait_name(long call, char *out, size_t cap);
/* The descriptor the call waits on, or -1 (several, or none). */
int wait_descriptor(const struct wait *w);
/* The third number of /proc/PID/task/TID/schedstat: how often it was put on a processor. ~0: unreadable. */
u64 wait_runs(const char *line);
/* The state's letter in /proc/PID/task/TID/stat ("4711 (a) b) S 1 …"); 0: unreadable. */
char wait_state(const char *line);

#endif
