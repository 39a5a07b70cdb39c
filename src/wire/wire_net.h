/*
 * wire_net.h: the part of the contract that speaks of the network. Trees of recorded
 * communication lie in the shared memory file, behind the wire (WIRE_TREES), where the
 * controller can read and save them; the cache in the runtime writes them. When the
 * cache needs something physical, it fills struct wire_net, adds one to `request`, rings
 * the bell (an eventfd at WIRE_BELL_FD) and sleeps on `reply` until it equals `request`.
 */
#ifndef HEDDLE_WIRE_WIRE_NET_H
#define HEDDLE_WIRE_WIRE_NET_H

#include "base/base.h"

#define WIRE_BELL_FD 1002

enum cache_mode { CACHE_BRANCHING = 0, CACHE_LINEAR, CACHE_NONE };

#define NET_MAX_CLIENTS 256
#define NET_MAX_CONNS 512   /* physical connections alive at a time */
#define NET_DATA (1u << 20) /* bytes one request or reply carries */

/* Families and types have the numbers of Linux's socket calls. */
enum net_family { NET_UNIX = 1, NET_INET = 2, NET_INET6 = 10 };
enum net_type { NET_STREAM = 1, NET_DGRAM = 2, NET_SEQPACKET = 5 };

/* An end of a connection as the SUT names it. Unused bytes are zero, so that addresses compare as bytes. */
struct net_address {
	u16 family, type;
	u16 port; /* host order */
	/*
	 * NET_UNIX: bytes of path in use (an abstract name starts with 0). NET_INET: 1 where
	 * clients come that speak IPv6, too.
	 */
	u16 path_len;
	u8 ip[16]; /* NET_INET: the first four */
	char path[108];
};

enum net_op {
	/*
	 * Connect to `to`. client > 0: start client peer number `client`, which comes to `to`, and accept it.
	 */
	NET_OPEN = 1,
	/* send data[0..len), then (without NET_MORE) wait until the peer has answered all it will */
	NET_EXCHANGE,
	NET_CLOSE, /* physically; a client peer is ended */
	/*
	 * The SUT has closed the connection to a client peer: close it, and accept the client's next one.
	 * Answer: conn, 0 if it opens no more. The old one is gone in any case.
	 */
	NET_NEXT,
	/*
	 * Checkpoints, of a client with all its connections, or of joint servers. Save the peer of `conn` as
	 * it stands; answer: saved. Bring it back to where it was saved: it and its connections stand there
	 * again, whatever became of them; answer: conn. Forget what was saved.
	 */
	NET_SAVE,
	NET_RESTORE,
	NET_DROP,
};

/* Flags of requests (R) and answers (A). */
#define NET_MORE \
	1u         /* R: a NET_EXCHANGE follows at once, don't wait. A: more is there: ask again with len 0 */
#define NET_END 2u /* R: after the data, shut down our writing side */
#define NET_EOF 4u /* A: the peer has closed its side, behind the data */
#define NET_RESET 8u  /* A: the peer has reset the connection, behind the data */
#define NET_TIMED 16u /* A: quiet, but the peer waits with a time-out: it may say more later */
#define NET_GUESSED \
	32u /* A: we can't look into the peer: silence for --response-timeout was taken for the end */
#define NET_AGAIN 128u  /* A: the client has closed its side, and has opened its next connection */
#define NET_GONE 256u   /* A: nothing of the client lives any more: it opens no other connection */
#define NET_UNREAD 512u /* A: the peer is at rest, and has not read all that was sent to it */
#define NET_PATIENT 64u /* R: without data: first wait, up to --peer-timeout, for the peer to speak */
/*
 * R: of NET_OPEN: all connections of the client are one, in symbols: see below. Without a client: fresh
 * server peers are started, all of them, and what is said to them on all connections is one conversation.
 */
#define NET_JOINT 1024u

/* A: the peer did something since it was last asked that may be different in another run (time, chance) */
#define NET_ACTED 2048u
/* A: … and by chance (random numbers), so that what it says is one of several things it could say */
#define NET_CHOSE 4096u

/*
 * So many bytes wait for a peer that does not read; then a sender waits, too. About what Linux keeps for a
 * connection on one machine.
 */
#define NET_ROOM (2048u << 10)

/*
 * Status of an answer. 0: done. -errno: what the SUT is to see (-ECONNREFUSED …). Else one of these.
 * Connections belong to the cache: the broker closes none by itself. NET_ERROR_FULL and NET_ERROR_UNSERVED
 * say that it could go on if the cache closed some.
 */
enum net_error {
	NET_ERROR_TOOL = -5000, /* ours: the run ends with a tool error (exit 2), text says why */
	/* the server has ended, or the client without connecting: incomplete if it was
	   there before, else exit 2 */
	NET_ERROR_NO_PEER,
	NET_ERROR_FULL,      /* of NET_OPEN: no room for one more connection; nothing was opened */
	NET_ERROR_UNSERVED,  /* the peer is at rest and has not accepted the connection, which stays open */
	NET_ERROR_STUCK,     /* the peer is at rest and does not take what was sent: incomplete */
	NET_ERROR_CROSSTALK, /* data came on another connection than the one written to: incomplete */
	/*
	 * A client peer opened a further connection while it has one. client: its number, if all of them can
	 * be followed together (NET_JOINT); 0: incomplete.
	 */
	NET_ERROR_ANOTHER,
	NET_ERROR_SLOW,    /* the peer did not come to rest within --peer-timeout: incomplete */
	NET_ERROR_UNSAVED, /* of NET_SAVE, NET_RESTORE: not possible; text: why. All goes on without */
};
#define NET_IS_ERRNO(status) ((status) < 0 && (status) >= -4095)

struct wire_net {
	u32 request, reply;
	u32 op, client;
	u32 conn; /* of NET_EXCHANGE, NET_CLOSE; answer of NET_OPEN: from 1 on */
	u32 flags;
	int status;
	/* answer of NET_OPEN, successful or not: which peer it leads to, from 1 on; 0: not known */
	u32 group;
	struct net_address to;
	u64 len;
	u64 saved; /* of NET_RESTORE, NET_DROP; answer of NET_SAVE: never 0 */
	/*
	 * of NET_EXCHANGE: so many bytes + 1 are known to be the answer, from before; 0: nothing is known.
	 * When they have come, and all of the peer waits, its time-outs are not waited for.
	 */
	u64 expected;
	char text[2048]; /* what is wrong, in words; of a quiet peer: what each of its threads waits for */
	u8 data[NET_DATA];
};

/* A datagram travels, and is stored in trees, behind its length: little endian, so many bytes. */
#define NET_FRAME_HEAD 4u

/*
 * A joint peer has several connections at a time: a client that opens them, or the server peers of a check,
 * which share what they know (a database and a proxy before it). What it says on one may depend on what it
 * was told on another, so all of them are one conversation, of symbols of two bytes, in both directions: the
 * number of a connection (from 1) and a byte; or NET_JOINT_EVENT + the number, and what happened to it. What
 * the peer said since it was last asked is sorted by connection. The numbers of a client's connections are
 * never used again. Those of connections to servers are, once the SUT has closed them: NET_JOINT_OPENED
 * begins a new one.
 */
#define NET_JOINT_SYMBOL 2u
#define NET_JOINT_EVENT 128u
#define NET_JOINT_MAX 126u
#define NET_JOINT_NOBODY 127u /* no connection's number: of bytes that only tell more of an event */
#define NET_JOINT_CLOCK_BYTES 8u
enum net_joint_event {
	NET_JOINT_OPENED = 1, /* said by the peer: there is a further connection, with this number */
	NET_JOINT_EOF,        /* … it has closed its side */
	NET_JOINT_RESET,
	NET_JOINT_END,     /* told to the peer: the SUT has shut down its writing side */
	NET_JOINT_CLOSE,   /* … has closed the connection */
	NET_JOINT_TIME,    /* with number 0: nothing happens until the peer speaks by itself */
	NET_JOINT_CONNECT, /* told to servers: the SUT connects; the address follows (net_joint.h) */
	NET_JOINT_REFUSED, /* said by them: no, with this errno, as a byte of that connection */
	/*
	 * With number 0, told to servers: so much time has passed for the program, in nanoseconds: 8 bytes
	 * of NET_JOINT_NOBODY, the lowest first.
	 */
	NET_JOINT_CLOCK,
	NET_JOINT_EVENTS
};

/* --peers: does a server peer's answer depend on what was said on its other connections? */
enum net_peers {
	NET_PEERS_AUTO = 0, /* no, until that turns out to be wrong */
	NET_PEERS_INDEPENDENT,
	NET_PEERS_SHARED,
};

/* --accept always and its like: an operation does not have to wait if the peer has done its part. */
enum net_always {
	NET_ACCEPT_ALWAYS = 1,
	NET_READ_ALWAYS = 2,
	NET_WRITE_ALWAYS = 4,
	NET_CONNECT_ALWAYS = 8,
};

/* --net-faults: what may go wrong between the program and its peers. */
enum net_fault {
	NET_FAULT_RESET = 1,      /* a connection breaks */
	NET_FAULT_REFUSE = 2,     /* a connect is refused */
	NET_FAULT_TIMEOUT = 4,    /* a connect times out */
	NET_FAULT_LOSS = 8,       /* a datagram is lost */
	NET_FAULT_DUPLICATE = 16, /* … comes twice */
	NET_FAULT_REORDER = 32,   /* … is overtaken by the one behind it */
};
#define NET_FAULT_KINDS 6u
/* "reset": the name of bit i, as the option has it. */
static inline const char *net_fault_name(size_t i)
{
	static const char *const names[NET_FAULT_KINDS] = {"reset", "refuse",    "timeout",
							   "loss",  "duplicate", "reorder"};
	return names[i];
}

/* --checkpoint: after which transitions peers are saved. */
enum net_checkpoint {
	NET_CHECKPOINT_ND = 0, /* after those in which one did something non-deterministic */
	NET_CHECKPOINT_NONE,
	NET_CHECKPOINT_ALWAYS,  /* all, while a peer lives */
	NET_CHECKPOINT_IO,      /* those with network I/O */
	NET_CHECKPOINT_CONNECT, /* those with a connect or an accept */
};
static inline const char *net_checkpoint_name(u32 strategy)
{
	static const char *const names[] = {"nd", "none", "always", "io", "connect"};
	return names[strategy < sizeof(names) / sizeof(names[0]) ? strategy : 0];
}

/* What came of it. */
struct net_checkpoints {
	u64 taken, restored, dropped;
	u64 restarted; /* peers that were started again, to be brought to a known position */
	u64 replayed;  /* requests that were sent again to bring a peer there */
	u64 peak;      /* saved at a time */
	u64 chose;     /* answers in which a peer acted by chance */
	/* The cost model: how long it took in all, and at least (which a loaded machine does not change). */
	u64 starts, start_ns, restore_ns, requests, request_ns;
	u64 least_start_ns, least_restore_ns, least_request_ns;
	u64 cheaper;       /* so often a peer was started again, as that was cheaper than restoring it */
	char unsaved[512]; /* why a peer could not be saved; "": each could */
};

/* What the runtime is told about peers (part of struct wire_config). */
struct net_config {
	u32 mode;              /* enum cache_mode */
	u32 live;              /* 1: a broker answers; 0: only what the trees hold (replay, --load-trees) */
	u32 clients;           /* client peers, numbered from 1 */
	u32 identical_clients; /* all share one tree */
	u32 allow_refused;     /* nobody listens: the SUT sees ECONNREFUSED instead of a tool error */
	u32 servers;           /* server peers */
	u32 peers;             /* enum net_peers */
	u32 checkpoint;        /* enum net_checkpoint */
	u32 save_all;          /* all peers are started so that they can be saved, not only joint servers */
	u64 recheck;           /* at the end, so many recorded conversations are had once more and compared */
	u32 samples;           /* so many executions are kept, to be played again with fresh peers */
	u32 short_io;          /* bytes arrive in parts, and the send buffer takes parts */
	u32 always;            /* enum net_always */
	u32 all_subsets;       /* --ready-subsets all: every subset of sockets with news, and every order */
	u32 retries;           /* at most so many attempts in a row fail; 0: any number */
	u32 faults;            /* enum net_fault */
	u32 fault_budget;      /* at most so many faults in an execution; 0: any number */
	u32 confirm; /* a replay with live peers: every request goes out, and is compared with the trees */
	/* Clients of the same class (client n + 1) come in the order of their numbers,
	   those of others in any. */
	u16 client_class[NET_MAX_CLIENTS];
	/* The SUT's port that client n + 1 connects to; 0: the only one there is. */
	u16 client_port[NET_MAX_CLIENTS];
};

#endif
