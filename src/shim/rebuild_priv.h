/*
 * rebuild_priv.h: what is known of each descriptor of a process that is saved.
 */
#ifndef HEDDLE_SHIM_REBUILD_PRIV_H
#define HEDDLE_SHIM_REBUILD_PRIV_H

#include <sys/timerfd.h>

#include "shim/shim_priv.h"

enum held_kind {
	HELD_SHARED = 0,
	HELD_CONNECTION,
	HELD_LISTENER,
	HELD_DATAGRAMS,
	HELD_PIPE,
	HELD_PAIR,
	HELD_INNER, /* made anew by the controller: inner_ends.c */
	HELD_EPOLL,
	HELD_EVENT,
	HELD_TIMER,
	HELD_FILE
};

struct held {
	enum held_kind kind;
	int fd, flags;
	bool close_on_exec, ready, semaphore, done;
	bool links; /* a file that has a name */
	u8 shut;
	u32 number; /* among the connections */
	int other;  /* the other end of a pair or pipe: its place in the list; -1: not here */
	u32 bytes;  /* of data */
	u64 inode;
	u64 value; /* count, offset or clock */
	struct itimerspec timer;
	u64 receive_timeout[2];
	u8 *data;
};

/*
 * shared_memory.c: memory without a file that processes share stays shared: what is in it is kept beside it,
 * and put back. False: it can't be, text says why.
 */
bool shared_memory_record(char *text, size_t cap);
void shared_memory_release(void);
void shared_memory_restore(void);
/* An option of a socket's; -1: it has none such. */
long held_option(int fd, int level, int what);

#endif
