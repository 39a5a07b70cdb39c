/*
 * shim.h: what the shim in a peer and the controller say to each other. The shim (libheddle-peer.so) is
 * preloaded into peers; it traps their system calls, keeps their clock, counts what may be different in
 * another run, and clones the process when it is told to. See get_in.c for how it gets in, freeze.c for how
 * it is saved.
 *
 * Messages are packets on a UNIX socket. The shim connects to the address in SHIM_ENV (abstract) and says
 * HELLO, with the descriptor of its page. From then on the controller speaks first:
 *
 *   SAVE, with the control socket of the copy    -> SAVED, from the copy; or REFUSED, from the process itself
 *   RESTORE, with the control socket of the new  -> RUNNING, from the new process, on its own socket; the
 *   process and the ends of its connections         process that is saved stays as it is
 *
 *   TIME: its clock moves on by inode[0] ns      -> TIMED
 *
 * A process whose control socket is closed ends.
 */
#ifndef HEDDLE_SHIM_SHIM_H
#define HEDDLE_SHIM_SHIM_H

#include "base/base.h"

#define SHIM_ENV "HEDDLE_PEER_SHIM"
#define SHIM_KEEPER_ENV "HEDDLE_PEER_KEEPER"
#define SHIM_VERSION 1u
#define SHIM_DROPPED 219 /* how a saved process ends that is not needed any more */
#define SHIM_CONNS 128u

enum shim_op {
	SHIM_HELLO = 1,
	SHIM_SAVE,
	SHIM_SAVED,
	SHIM_REFUSED,
	SHIM_RESTORE,
	SHIM_RUNNING,
	SHIM_TIME,
	SHIM_TIMED
};

struct shim_message {
	u32 op;
	int pid;    /* of the sender, in answers */
	int keeper; /* HELLO: who started the shell that started it */
	u32 count;
	/*
	 * SAVE: the inodes of the peer's ends. SAVED: so many bytes of each are unread; they come one after
	 * another in a memory file.
	 */
	u64 inode[SHIM_CONNS];
	u32 unread[SHIM_CONNS];
	char text[256]; /* REFUSED: what stops it */
};

/* What is noticed, in the order of the list in the report. */
enum shim_act {
	ACT_GETRANDOM,
	ACT_URANDOM,
	ACT_PROC,
	ACT_RDTSC,
	ACT_GETPID,
	ACT_PORT,
	ACT_TIMEOUT,
	ACT_TIMER,
	ACT_THREADS,
	ACT_FORK,
	ACT_START,
	ACT_CLOCK,
	ACT_SLEEP,
	SHIM_ACTS
};
struct shim_act_name {
	const char *call;
	bool tamed; /* the shim makes it the same in each run */
};
static const struct shim_act_name shim_act_names[SHIM_ACTS] = {
	[ACT_GETRANDOM] = {"getrandom", false},
	[ACT_URANDOM] = {"read of /dev/urandom", false},
	[ACT_PROC] = {"read of /proc", false},
	[ACT_RDTSC] = {"rdtsc", true},
	[ACT_GETPID] = {"getpid", true},
	[ACT_PORT] = {"ephemeral port", false},
	[ACT_TIMEOUT] = {"time-out that expires", false},
	[ACT_TIMER] = {"timer", false},
	[ACT_THREADS] = {"threads take turns", false},
	[ACT_FORK] = {"fork", false},
	[ACT_START] = {"random bytes at its start", true},
	[ACT_CLOCK] = {"clock", true},
	[ACT_SLEEP] = {"sleep", true},
};

/* Shared between the controller and all processes of a peer. */
struct shim_page {
	u32 version;
	/*
	 * The controller's: time stands still for the peer, as it has answered and nobody has asked.
	 * Time-outs don't expire then.
	 */
	u32 held;
	u64 told; /* the controller's: so much time has passed by SHIM_TIME, for child processes to see */
	u64 acts; /* that are not tamed */
	u64 count[SHIM_ACTS];
};

#endif
