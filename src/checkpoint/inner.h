/*
 * inner.h: what connects the processes of a saved group with each other (shim/inner_ends.c): pipes, pairs of
 * UNIX sockets, TCP connections over loopback. Each process tells of its ends; they are matched here, kept
 * with what was unread in them, and made anew for the copies.
 */
#ifndef HEDDLE_CHECKPOINT_INNER_H
#define HEDDLE_CHECKPOINT_INNER_H

#include "launch/problem.h"
#include "shim/shim.h"

struct inner_side {
	u64 inode; /* 0: nobody has it */
	u16 port;
	u32 unread;
	u8 *bytes;
};

struct inner_object {
	u32 end; /* enum shim_end: of a pipe END_PIPE_READ */
	u32 type;
	struct inner_side side[2]; /* of a pipe the first one reads */
};

struct inner_list {
	struct inner_object *object;
	u32 count;
};

/*
 * The ends of one more process; what is unread of them is in the file from *at on. 0 or -errno; *at moves on.
 */
int inner_collect(struct inner_list *l, int nl, const struct shim_message *m, int file, long *at);
/* All have told: is there an end whose other end is none of theirs? NULL: none. */
const char *inner_stranger(const struct inner_list *l);
void inner_free(struct inner_list *l);

/* Fresh ones: two descriptors for each object, in fd. 0 or -errno, and nothing is open. */
int inner_open(const struct inner_list *l, int *fd);
void inner_close(const struct inner_list *l, int *fd);
/* Where in fd is this end? */
u32 inner_place(const struct inner_list *l, const struct shim_inner *i);
/* Two ends of a fresh stream of this family. */
int inner_connect(int family, int type, int *here, int *there);

#endif
