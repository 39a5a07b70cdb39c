/*
 * quiet.h: has a local peer said all it will say? Decided by looking, not by waiting: all its threads sleep
 * in calls that wait for input, everything sent to it has been taken, everything it wrote has arrived, and
 * nobody ran while we looked. See quiet.c for why each of the three is needed.
 */
#ifndef HEDDLE_BROKER_QUIET_H
#define HEDDLE_BROKER_QUIET_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "base/base.h"

enum quiet { QUIET_BUSY = 0, QUIET_YES, QUIET_TIMED /* quiet, but some thread waits with a time-out */ };

/* What a connection still has on its way. */
enum quiet_queue {
	QUEUE_EMPTY = 0,
	QUEUE_UNACCEPTED, /* the peer has not taken it from its backlog */
	QUEUE_UNREAD,     /* the peer has not taken all we sent */
	QUEUE_END_UNREAD, /* … only not noticed that we have shut down our side */
	QUEUE_COMING,     /* something of the peer's is not here yet */
};

/* Our end of a connection to the peer. */
struct quiet_conn {
	int fd;
	const struct sockaddr_storage *there; /* the other end, where fd itself is not connected; else NULL */
	u64 sent;                             /* bytes we wrote (streams) */
	bool closed;                          /* by the peer: not looked at */
	bool accepted;                        /* set by quiet_look: the peer has taken it from its backlog */
	bool excused;           /* the peer is known to leave it alone: its queue does not count */
	enum quiet_queue queue; /* set by quiet_look, if it came that far */
	u64 inode;              /* of the peer's end, likewise; 0: not known */
};

struct quiet_peer;
struct quiet_peer *quiet_open(pid_t root); /* a process and all its descendants */
void quiet_close(struct quiet_peer *q);
/* One more process belongs to it, with its descendants (it left the tree, or never was in it). */
void quiet_add(struct quiet_peer *q, pid_t root);
/*
 * The processes `from`, with which it was opened or which were added, are `to` now: the peer was brought back
 * to where it was, as other processes. What was learnt of its threads holds for the new ones, in their
 * order. from 0: a further process of whoever comes before it. its_own: all of them belong to it, also if it
 * does not have them (they had ended). False: nothing of this is its.
 */
bool quiet_replace(struct quiet_peer *q, const pid_t *from, const pid_t *to, u32 n, bool its_own);
/* One look. */
enum quiet quiet_look(struct quiet_peer *q, struct quiet_conn *c, u32 n);
/*
 * It was sent something, perhaps by another peer that was, or (something false) has one more connection: its
 * time-outs are given their time again.
 */
void quiet_asked(struct quiet_peer *q, bool something);
/* How often its threads have run in all, as it was last looked at. */
u64 quiet_runs(const struct quiet_peer *q);
/* All that it is known to answer has come: it is not waited for until its time-outs end. */
void quiet_satisfied(struct quiet_peer *q, bool satisfied);
/* Something of it has just arrived. */
void quiet_spoke(struct quiet_peer *q);
/*
 * All its threads sleep, and those without a time-out still sleep as they did at the last call: said of a
 * peer whose queues are not empty (it does not take what was sent).
 */
bool quiet_asleep(struct quiet_peer *q);
/* What each thread waits for, in words: "memcached 4711/4712: epoll_wait; …". */
void quiet_describe(struct quiet_peer *q, const struct quiet_conn *c, u32 n, char *out, size_t cap);
/* The same of a peer that was just found quiet, as it was seen then. */
void quiet_tell(struct quiet_peer *q, const struct quiet_conn *c, u32 n, char *out, size_t cap);
/*
 * Threads that sleep periodically although nothing is asked of them (housekeeping) are found and ignored from
 * now on, as long as they sleep at that place of the program. To be called when the peer is idle; takes up to
 * a few seconds if there are any.
 */
void quiet_learn(struct quiet_peer *q);
/* Does any process of it listen on this TCP port (0: any), or have a bound UDP or UNIX socket? */
bool quiet_listens(struct quiet_peer *q, u16 port);
/* Has a process of it the other end of this connection? */
bool quiet_holds(struct quiet_peer *q, int fd);
/* The same, or nobody has it. */
bool quiet_serves(struct quiet_peer *q, int fd);
/* It has timers of unknown length, and they are long; told to the next peer of the same command. */
bool quiet_long_alarms(const struct quiet_peer *q);
void quiet_set_long_alarms(struct quiet_peer *q);
/* Is anything of it alive? */
bool quiet_alive(struct quiet_peer *q);
/* Does it hold threads that always sleep? They need longer to show what they do. */
bool quiet_has_periodic(const struct quiet_peer *q);
/* The process that has the other end of this local connection; 0: not found (or not ours to see). */
pid_t quiet_owner(int fd);
/* Would a datagram sent on this connected UDP socket find anybody? True if that is not on this machine. */
bool quiet_bound(int fd);
/* May we look into this process (/proc/PID/syscall)? */
bool quiet_allowed(pid_t pid);

#endif
