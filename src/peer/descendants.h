/*
 * descendants.h: ends everything that comes from this process, whatever it did to get away.
 */
#ifndef HEDDLE_PEER_DESCENDANTS_H
#define HEDDLE_PEER_DESCENDANTS_H

/*
 * The caller is a subreaper (PR_SET_CHILD_SUBREAPER), has SIGCHLD blocked and one thread; may be called from
 * a signal handler. Returns when nothing is left but processes that are not ours to kill any more
 * (set-user-ID programs of another user).
 */
void descendants_end(void);

#endif
