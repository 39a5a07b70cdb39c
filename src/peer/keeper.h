/*
 * keeper.h: one process of ours around each peer: the peer's parent, and the adopter of everything the peer
 * leaves behind.
 *
 *   heddle ── warden ─┬─ keeper ── sh -c "redis-server --port 4711" ── …
 *                     └─ keeper ── sh -c "nc 127.0.0.1 4712"
 *
 * Its pid stands for the peer: a process that turned itself into a daemon is still below it. It sleeps in
 * wait4 and ends when nothing of the peer is left, in the manner in which the peer's first process did, or
 * what was brought back in its place. On SIGTERM, which it also gets when the warden dies, it ends the whole
 * tree.
 */
#ifndef HEDDLE_PEER_KEEPER_H
#define HEDDLE_PEER_KEEPER_H

#include <sys/types.h>

#include "base/base.h"

#define KEEPER_DROPPED 219 /* the status of saved copies that nobody needs any more: SHIM_DROPPED */

/*
 * In a fork of the warden, all signals blocked. Descriptors of the warden are closed here. warden: its pid,
 * for it may be dead by now.
 */
HD_NORETURN void keeper_run(const char *command, int log_fd, pid_t warden);

#endif
