/*
 * shim_link_priv.h: inside of a link, for the backend that speaks over it.
 */
#ifndef HEDDLE_CHECKPOINT_SHIM_LINK_PRIV_H
#define HEDDLE_CHECKPOINT_SHIM_LINK_PRIV_H

#include "checkpoint/shim_link.h"
#include "shim/shim.h"

struct shim_link {
	struct shim_link *next;
	int fd; /* of the process that runs */
	pid_t pid;
	struct shim_page *page;
};

/* Is everything here that peers need to start with the shim? library: where it is. */
bool shim_works(char *library, size_t size, char *why, size_t cap);
/* One packet. 0 or -errno; -EPIPE: the other side has gone. */
int shim_receive(int fd, struct shim_message *m, int *passed, u32 cap, u32 *n);
int shim_send(int fd, const struct shim_message *m, const int *pass, u32 n);

#endif
