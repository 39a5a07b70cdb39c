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
 *   FAMILY: who is who now among its relatives   -> AGREED; they don't go on before that
 *
 * A process whose control socket is closed ends.
 *
 * A peer may be several processes: what it forks says HELLO, too, without a page, and so do programs that it
 * starts, each with a page of its own. They are saved and brought back together, one after another. What
 * connects them (inner ends) is made anew by the controller, and passed along behind the connections.
 */
#ifndef HEDDLE_SHIM_SHIM_H
#define HEDDLE_SHIM_SHIM_H

#include "base/base.h"

#define SHIM_ENV "HEDDLE_PEER_SHIM"
#define SHIM_KEEPER_ENV "HEDDLE_PEER_KEEPER"
#define SHIM_CHANCE_ENV "HEDDLE_PEER_CHANCE" /* which behaviour at the start: start_chance.c */
#define SHIM_CHANCE_OVER "over"              /* its value: the conversation has begun */
#define SHIM_VERSION 1u
#define SHIM_DROPPED 219 /* how a saved process ends that is not needed any more */
#define SHIM_CONNS 128u
#define SHIM_INNER 64u                            /* ends of pipes and sockets, of one process */
#define SHIM_PASSED (1 + SHIM_CONNS + SHIM_INNER) /* descriptors in one message */

enum shim_op {
	SHIM_HELLO = 1,
	SHIM_SAVE,
	SHIM_SAVED,
	SHIM_REFUSED,
	SHIM_RESTORE,
	SHIM_RUNNING,
	SHIM_TIME,
	SHIM_TIMED,
	SHIM_FAMILY,
	SHIM_AGREED
};

/* One end of something that connects processes of the peer with each other, or with themselves. */
enum shim_end { END_PIPE_READ = 1, END_PIPE_WRITE, END_UNIX, END_INET, END_INET6 };
struct shim_inner {
	u64 inode;
	u32 end;         /* enum shim_end */
	u32 type;        /* of a socket: SOCK_STREAM … */
	u32 unread;      /* SAVED: bytes; behind those of the connections in the same file */
	u16 here, there; /* ports */
	bool given;      /* RESTORE: its descriptor is passed */
};

struct shim_message {
	u32 op;
	int pid;    /* of the sender, in answers */
	int keeper; /* HELLO: who started the shell that started it */
	int parent; /* HELLO: whose page it shares, for it was forked; 0: it brings its own */
	int first;  /* HELLO: by what number its relatives know it */
	u32 count;
	u32 members; /* SAVE, RESTORE: so many processes are saved, or brought back, together */
	u32 inners;
	int root;  /* SAVED, RUNNING: those with the same one have one list of changed files */
	u64 files; /* SAVED, RUNNING: bits of that list that this process could not keep, or put back */
	/*
	 * SAVE: the inodes of the peer's ends. SAVED: so many bytes of each are unread; they come one after
	 * another in a memory file. FAMILY: pairs of first and present numbers.
	 */
	u64 inode[SHIM_CONNS];
	u32 unread[SHIM_CONNS];
	struct shim_inner inner[SHIM_INNER];
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

#define SHIM_ENDED 64u

/* Shared between the controller and all processes of a program, forked ones included. */
struct shim_page {
	u32 version;
	/*
	 * The controller's: time stands still for the peer, as it has answered and nobody has asked.
	 * Time-outs don't expire then.
	 */
	u32 held;
	u64 told;    /* the controller's: so much time has passed by SHIM_TIME, for child processes to see */
	u32 started; /* one of its processes has talked to somebody: start_chance.c */
	u64 acts;    /* that are not tamed */
	/* Ends of processes that the parent can't wait for, as the kernel does not know it for one. */
	struct shim_ended {
		int first, status; /* first: its number; 0: free */
	} ended[SHIM_ENDED];
	u64 count[SHIM_ACTS];
};

#endif
