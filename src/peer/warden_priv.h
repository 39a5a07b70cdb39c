/*
 * warden_priv.h: what goes over the pair (SOCK_SEQPACKET): one request, one reply.
 */
#ifndef HEDDLE_PEER_WARDEN_PRIV_H
#define HEDDLE_PEER_WARDEN_PRIV_H

#include <sys/types.h>

#include "base/base.h"

#define WARDEN_COMMAND 32768 /* bytes of a command, its end included */

enum warden_op {
	WARDEN_START = 1, /* command; with the log's descriptor */
	WARDEN_ENDED,     /* pid */
	WARDEN_END,       /* pid */
};

struct warden_request {
	u32 op;
	pid_t pid;
	char command[WARDEN_COMMAND]; /* sent up to its end */
};

struct warden_reply {
	int error; /* errno; 0: fine */
	pid_t pid;
	int ended, status;
};

/* Does not return. folder: see warden_start. */
HD_NORETURN void warden_run(int fd, const char *folder, const char *more);

#endif
