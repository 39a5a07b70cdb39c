/*
 * warden.h: the process that all peers descend from. It does what it is told over a socket pair; when the
 * other end of the pair is gone, because we closed it or died by whatever cause, it ends every descendant and
 * itself.
 *
 * Three safeguards, should a process be killed: the warden sees us die by the end of file; a keeper sees the
 * warden die by a signal (PR_SET_PDEATHSIG) and ends its peer; the peer's first process dies with its keeper.
 * All of them have sessions of their own, so that ^C on the terminal reaches only us, who then decide.
 */
#ifndef HEDDLE_PEER_WARDEN_H
#define HEDDLE_PEER_WARDEN_H

#include <sys/types.h>

#include "launch/problem.h"

struct warden {
	int fd;
	pid_t pid;
};

/* folder, more: removed with all that is in them at the very end; "" or NULL: none. */
int warden_start(struct warden *w, const char *folder, const char *more, struct problem *p);
/* Start a command with its output going to log_fd; the keeper's pid (keeper.h), or -1. */
pid_t warden_start_peer(struct warden *w, const char *command, int log_fd, struct problem *p);
/*
 * Is nothing left of this peer? 1: yes, and *status is as of waitpid; then its pid must not be named again.
 * 0: no. -1: the warden is gone.
 */
int warden_peer_ended(struct warden *w, pid_t pid, int *status);
/* End it; nothing of it is left on return. Its pid must not be named again. */
void warden_end_peer(struct warden *w, pid_t pid);
/* End all, and the warden. */
void warden_end(struct warden *w);

#endif
