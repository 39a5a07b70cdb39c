/*
 * wire.h: the contract between the controller (heddle) and the runtime (libheddle-rt.so): two pieces of
 * shared memory, mapped by both. The runtime finds them at two descriptors:
 *
 *   WIRE_FD         struct wire_shared: what all workers of a run share; behind it the communication trees
 *   WIRE_WORKER_FD  struct wire_worker: what one process has for itself, and behind it its arena
 *
 * A worker is a process of the program under test that searches or replays. Several workers of one run map
 * the same shared part and each its own worker's part, all at the same addresses. Layouts are fixed and
 * versioned; both sides check magic and version before anything else.
 *
 * Who writes what: config, atomics (before the start), stop, number, task, ack_seq: the controller. learnt:
 * the controller before the start of a replay, else the workers (wire/learnt.h says how several do).
 * Everything else: the runtime. No pointers; offsets count from the start of the part they stand in.
 */
#ifndef HEDDLE_WIRE_WIRE_H
#define HEDDLE_WIRE_WIRE_H

#include "base/base.h"
#include "wire/action.h"
#include "wire/wire_graph.h"
#include "wire/layout.h"
#include "wire/learnt.h"
#include "wire/wire_profile.h"
#include "wire/wire_property.h"
#include "wire/regs.h"
#include "wire/search_options.h"
#include "wire/violation.h"
#include "wire/wire_net.h"
#include "wire/wire_script.h"
#include "wire/wire_team.h"

#define WIRE_MAGIC 0x656c64646568u
/* The sizes are part of it: a runtime of another build would misread the rest without a word. */
#define WIRE_VERSION (3u << 28 | (u32)(sizeof(struct wire_shared) + sizeof(struct wire_worker)))
#define WIRE_FD 1000
#define WIRE_WORKER_FD 1001
#define WIRE_TAPE_FD 1004   /* a pipe; only where wire_task.script says so */
#define WIRE_PRINTS_FD 1005 /* memory for fingerprints by number: search/follow.h; likewise */
#define WIRE_PRINTS_BASE 0x700000000000UL
#define WIRE_MAP_BASE LAYOUT_END /* where the runtime maps the shared part */
/* Behind struct wire_shared in the same file: communication trees (iocache/tree.h), WIRE_TREES_SIZE bytes. */
#define WIRE_TREES (64UL << 20)
/* … and before them what several workers have together beside them (iocache/cache.h). */
#define WIRE_CACHE (WIRE_TREES - (2UL << 20))
#define WIRE_IDLE (WIRE_TREES - (1UL << 20)) /* … and clients that were taken for idle: runtime/net/net.c */
#define WIRE_IDLE_SIZE (1UL << 16)
#define WIRE_SHARED_SIZE (WIRE_TREES + WIRE_TREES_SIZE)
#define WIRE_WORKER_BASE (WIRE_MAP_BASE + (16UL << 30)) /* where the runtime maps its own part */
#define WIRE_ARENA (16UL << 20)                         /* offset of the arena in it */
#define WIRE_WORKER_SIZE (1UL << 30)                    /* sparse */
/* More actions than this have no room in a worker's part. */
#define WIRE_MAX_PATH ((WIRE_WORKER_SIZE - WIRE_ARENA) / sizeof(u32) / 2)

enum wire_mode {
	WIRE_SEARCH = 0,
	WIRE_REPLAY, /* execute task.path once, sending events; then tell how it ended */
	WIRE_SHRINK, /* find a shorter path to the violation that task.path leads to: wire_result.shrunk */
	WIRE_FINGERPRINT, /* go to the initial state, report its full fingerprint, exit */
};

enum wire_phase { WIRE_STARTING = 0, WIRE_RUNNING, WIRE_DONE, WIRE_FAILED };

/* A race that is no violation, because the user knows it: two instructions, on one address or (0) on any. */
#define WIRE_MAX_IGNORED 256
struct wire_ignored {
	u64 pc[2], address;
};

/* Is freed memory handed out again at once (--heap-reuse)? AUTO: where somebody could mistake it. */
enum wire_reuse { WIRE_REUSE_AUTO = 0, WIRE_REUSE_NEVER, WIRE_REUSE_ALWAYS };

struct wire_config {
	struct search_options search;
	u64 hang_ms;        /* CPU time one transition may use */
	u64 random_seed;    /* of the SUT's own random numbers */
	u64 heap_limit;     /* bytes the SUT may allocate in all; then malloc fails */
	u32 heap_reuse;     /* enum wire_reuse */
	u32 timeouts_never; /* waits for an event have no time-out; sleeps end */
	u32 spurious;       /* condition variables may wake spuriously */
	u32 check_exit;     /* a non-zero exit status is a violation */
	u32 check_fds;      /* so is the use of a descriptor that another thread has closed */
	u32 check_deadlock; /* default on */
	u32 fds_by_thread;  /* descriptors that threads open have numbers of their own: --fd-numbers thread */
	u32 allow_trivial;  /* a program of which nothing was tried may be verified: enum wire_trivial */
	u32 strict_idle;    /* waiting idly with a connection open, or for a signal, is a deadlock */
	u32 races;          /* 1: a data race of an instrumented program is a violation */
	u32 ignored;        /* of ignored_race */
	u32 profile;        /* 1: where the states come from is looked at closely: --profile */
	u32 graph;          /* 1: the graph of states is kept: --graph */
	u32 atomics;        /* 1: atomic instructions of the SUT's code are steps */
	u64 time_horizon_ms;    /* 0: none; else virtual time beyond which no time-out is chosen (bounded) */
	char stdin_path[512];   /* "" = empty input */
	char runtime_path[512]; /* of libheddle-rt.so; for the list of modules */
	struct net_config net;
	struct wire_ignored ignored_race[WIRE_MAX_IGNORED];
};

/*
 * Atomic instructions in the SUT's own code (launch/atomic_sites.c finds them, runtime/trap/atomics.c makes
 * them steps), by address. The operand lies at base + (index << shift) + displacement; registers are
 * numbered as in the encoding.
 */
#define WIRE_MAX_SITES 65536
#define WIRE_SITE_NO_REGISTER 16
#define WIRE_SITE_ELSEWHERE 17 /* base: not to be computed (fs:, gs:) */
struct wire_site {
	u64 pc;
	u8 code[15], length; /* as it stands in memory */
	u8 relative_at;      /* where in code the 32-bit displacement from rip is; 0: none */
	u8 base, index, shift;
	int displacement;
	u8 pause;       /* no atomic: the hint of a spinning loop */
	u8 flags_dead;  /* it overwrites all arithmetic flags without reading them */
	u8 random;      /* no atomic: rdrand or rdseed into register `base`, of this many bytes */
	u8 bytes;       /* of the operand of an atomic */
	u16 dead;       /* registers, a bit each, whose values nobody reads again (launch/liveness.h) */
	u8 no_red_zone; /* nothing is below the stack pointer */
	u8 compares;    /* with rax, before it stores: a compare-and-exchange of at least 8 bytes */
};
/* Variables of language libraries whose atomics are no steps: launch/benign_atomics.c. */
#define WIRE_MAX_BENIGN 32
struct wire_range {
	u64 start, size;
};
struct wire_atomics {
	u32 sites;  /* of both kinds */
	u32 atomic; /* of them read-modify-write */
	/*
	 * functions with atomics in them, or perhaps, that were left alone because they can't be read with
	 * certainty
	 */
	u32 unread;
	u32 benigns;
	u32 guards_stacks; /* Rust's std is there, which would keep a table of stacks of its own */
	u32 pad;
	struct wire_range benign[WIRE_MAX_BENIGN];
	struct wire_site site[WIRE_MAX_SITES];
};

#define WIRE_MAX_VIOLATIONS 256
#define WIRE_MAX_DOUBTFUL 4

/*
 * regs and the bytes of the stack from regs.rsp on let the controller find the caller's line when pc lies
 * inside a library. rip 0: pc is all there is.
 */
#define WIRE_MAX_REFUSED 128
#define WIRE_REFUSED_STACK 4096
struct wire_refused {
	u64 count, pc;
	char call[64];
	struct wire_regs regs;
	u64 stack_len;
	u8 stack[WIRE_REFUSED_STACK];
};

/*
 * A word of an unmodified program's memory that two threads use without synchronisation that is seen, and
 * where they stood before the steps that do: return addresses, or where the thread starts.
 */
#define WIRE_MAX_UNSYNCHRONISED 16
struct wire_unsynchronised {
	u64 address, pc[2];
	u32 thread[2]; /* from 1 */
};

/* A call of an instrumented program that is not looked into, and where it returns to: memory/unseen.h. */
#define WIRE_MAX_UNSEEN 32
struct wire_unseen {
	char call[192];
	u64 pc;
};

/* Executions that can be played again with live peers: paths in the worker's arena. */
#define WIRE_MAX_SAMPLES 64
enum wire_nondeterministic {
	WIRE_UNSAVED = 1,  /* it is not started so that it can be saved: it should be */
	WIRE_UNNOTICED = 2 /* it was not saved, as nobody saw it act: it should be, after each exchange */
};

struct wire_sample {
	u64 path_offset, path_len;
};

/* A search that is complete, but saw nothing of what the program is there for. */
enum wire_trivial {
	WIRE_TRIVIAL_NOT = 0,
	WIRE_TRIVIAL_FAILS,     /* every execution ends with an exit status other than 0, before any thread */
	WIRE_TRIVIAL_NO_CLIENT, /* the program waits for clients, no execution has one, and none was given */
};

/* How a path was shortened; see search/shrink.h. */
struct wire_shrunk {
	u64 path_offset, path_len; /* 0: it does not lead to a violation here */
	u64 attempts;
	u64 lesson; /* not 0: once more in a fresh process, and without this attempt */
};

#define WIRE_MAX_OUTCOMES 4096
struct wire_result {
	u32 end; /* enum search_end */
	u32 violations, refused, outcomes, notes;
	u32 horizon_hit; /* a time-out was not explored because of time_horizon_ms */
	/* how far the program's clock got in any execution, in nanoseconds; 0: it does not look */
	u64 clock_max;
	u64 cpu_us;
	struct fingerprint initial; /* full fingerprint of the initial state */
	u64 tracked_pages, hot_pages, page_faults;
	u64 exit_status; /* other than 0, the first that was seen */
	u32 ended_well;  /* some execution ends otherwise */
	u32 slept;       /* some execution goes on with threads that sleep, and was taken for idle */
	u32 trivial;     /* enum wire_trivial */
	u64 faults_cut;  /* more faults than --fault-budget allows could have happened */
	u64 retries_cut; /* more than --retries attempts in a row could have failed */
	u64 subsets_cut; /* not all subsets of sockets with news were explored: vkernel/streams/selector.h */
	/* sched/fair.c: rounds of a loop that yields and counts were taken for one another; */
	u64 yields_merged;
	u64 yields_cut; /* … and they did more than count */
	u32 samples;
	u32 clock_readings; /* answers of peers that told another time, and counted as the same */
	u64 ends;           /* end states that were met, samples or not */
	u32 unsynchronised; /* of unsynchronised_at */
	u32 unseen;         /* of unseen_call */
	struct wire_sample sample[WIRE_MAX_SAMPLES];
	struct wire_unsynchronised unsynchronised_at[WIRE_MAX_UNSYNCHRONISED];
	struct wire_unseen unseen_call[WIRE_MAX_UNSEEN];
	struct wire_violation violation[WIRE_MAX_VIOLATIONS];
	struct wire_refused refused_call[WIRE_MAX_REFUSED];
	struct wire_profile profile;
	struct wire_shrunk shrunk;
	struct wire_graph graph;
	struct wire_followed followed;
	long outcome[WIRE_MAX_OUTCOMES]; /* distinct heddle_outcome values, in order of discovery */
	char error[1024];                /* WIRE_FAILED: one sentence */
	char incomplete[3072];           /* the network was not followed everywhere: why; "": it was */
	char refused_by[1024];           /* a connection was refused: what nobody listens at */
	char shared_why[1024]; /* servers turned out to be joint (learnt.shared): which answer told */
	char note[8][256];
	struct net_checkpoints checkpoints;
	u32 nondeterministic; /* enum wire_nondeterministic: a peer has not said the same again */
	u32 untold_time;      /* servers were not told of all the time that the program slept */
	u32 several_servers;  /* some execution has two connections to servers at a time, or in two threads */
};

/* Events of a replay; the runtime fills `event`, adds one to event_seq and waits for ack_seq. */
enum wire_event_kind {
	WIRE_EV_NONE = 0,
	WIRE_EV_STEP,      /* a fiber is about to execute its pending operation */
	WIRE_EV_OUTPUT,    /* the SUT wrote to stdout (arg 1) or stderr (arg 2) */
	WIRE_EV_FIBER,     /* at the end: one per live fiber: where it stands, what it waits for */
	WIRE_EV_VIOLATION, /* text = message; a WIRE_EV_FIBER series follows */
	WIRE_EV_END,       /* path done; arg: 1 violation, 0 none, 2 the path could not be followed (text) */
	WIRE_EV_PAUSE, /* for gdb: before this step, as in WIRE_EV_STEP; a WIRE_EV_FIBER series came before */
	WIRE_EV_ASIDE, /* the running fiber does this besides the step's operation: sched/aside.h */
};

/* Who could end the wait of a fiber at the end of an execution. */
enum wire_waits {
	WIRE_WAITS_NOT = 0, /* it does not wait: it could go on */
	WIRE_WAITS_ANYONE,  /* any thread: a signal, a post, data in a pipe */
	WIRE_WAITS_THREAD,  /* this one: it holds the lock, or is to end */
	WIRE_WAITS_CLIENT,  /* a client that connects */
	WIRE_WAITS_PEER,    /* a peer that says something */
	WIRE_WAITS_WORLD,   /* somebody outside who need not exist */
	WIRE_WAITS_KINDS
};

struct wire_event {
	u32 kind, thread, alt, op; /* op: enum op_kind, wire/op_kinds.h */
	u64 object, arg;
	u64 step; /* number of the step, from 0 */
	struct wire_regs regs;
	u32 violation, text_len;
	u32 patient;            /* WIRE_EV_FIBER: it waits for a thread's end or for clients */
	u32 waits;              /* WIRE_EV_FIBER: enum wire_waits */
	u32 waits_thread;       /* WIRE_WAITS_THREAD: its slot */
	u32 bytes;              /* a memory access: how many */
	u64 entry;              /* the function that the thread begins with; 0: not known */
	u64 object2;            /* a wait on a condition variable: the mutex */
	u64 block, block_bytes; /* the live heap block that `object` lies in; 0: in none */
	u32 last;               /* 1 + the slot of the fiber that took the step before and stands … */
	u32 pad;
	struct wire_regs last_regs; /* … here; rip 0: it has ended. last 0: none, or a step is under way */
	char thread_name[16];
	char text[4096]; /* what it does, in words; addresses as {0x…} */
};

/* A search that is written down, or follows what was: search/tape.h, at descriptor WIRE_TAPE_FD. */
enum wire_script { WIRE_SCRIPT_NONE = 0, WIRE_SCRIPT_RECORD, WIRE_SCRIPT_FOLLOW, WIRE_SCRIPT_TRUST };

#define WIRE_MAX_AVOID 32
/* What one process is to do. */
struct wire_task {
	u32 mode;                  /* enum wire_mode */
	u32 script;                /* search: enum wire_script */
	u32 part;                  /* script: only a part of one is followed */
	u64 numbers;               /* of states in it, and one */
	u64 busy_room;             /* for so many struct wire_busy_edge */
	u32 gdb;                   /* replay: stand still at the end, and at pause_at (engine/replay.h) */
	u32 show_output;           /* replay: pass what the SUT writes to stdout/stderr on as events */
	u32 violation;             /* replay: enum violation_kind that the path is said to lead to */
	u64 path_offset, path_len; /* replay, shrink: u32 actions, in the worker's arena */
	u64 pause_at;              /* replay for gdb: before this step; the controller may change it */
	/* shrink (search/shrink.h): */
	u64 max_steps, max_ms;
	u32 avoids, pad;
	u64 avoid[WIRE_MAX_AVOID];
};

/* Why several workers have left the search to one of them. */
enum wire_alone {
	WIRE_ALONE_NOT = 0,
	WIRE_ALONE_BUSY,     /* the program waits busily, and livelocks are looked for on one path */
	WIRE_ALONE_HORIZON,  /* its clock goes beyond what a search looks at at first */
	WIRE_ALONE_MEMORY,   /* it is instrumented */
	WIRE_ALONE_DISAGREE, /* the same path led to different states in different workers */
	WIRE_ALONE_LIVELOCK, /* there is a livelock, and one worker looks for the way to it */
	WIRE_ALONE_NOTES,    /* there is no room for what the workers have to tell each other */
	WIRE_ALONE_NETWORK,  /* of many ranks: it talks to others, who are not the same for each rank */
	WIRE_ALONE_REASONS
};

/* A search that is saved now and then, and one that goes on from there: session/saved_search.h. */
struct wire_save {
	u32 wanted; /* controller: goes up when it is to be saved */
	u32 done;   /* worker 0: all workers stand still, for this request … */
	u32 ack;    /* … until the controller says so, too */
	u32 spoilt; /* … or it can't be */
	/* controller: 1: a saved search lies in the team's memory; worker 0: 2: it has taken that up */
	u32 resumed;
	u32 forget; /* workers: it was started again, and what it had found is void */
};

struct wire_shared {
	u64 magic;
	u32 version;
	u32 workers; /* of this run; at most WIRE_MAX_WORKERS */
	u32 stop;    /* controller: 1 = stop cleanly */
	u32 alone;   /* enum wire_alone: why worker 0 did the search without the others */
	u32 team;    /* there is memory for several workers, even if there is one */
	u32 pad;
	struct wire_save save;
	struct wire_config config;
	struct wire_learnt learnt;
	struct wire_atomics atomics;
	struct wire_properties properties; /* the controller writes them before the start */
};
_Static_assert(sizeof(struct wire_shared) <= WIRE_CACHE, "the shared part must fit before the cache");

struct wire_worker {
	u32 number; /* from 0 */
	u32 phase;  /* enum wire_phase */
	u32 event_seq, ack_seq;
	struct wire_task task;
	struct search_stats stats;
	struct wire_result result;
	struct wire_event event;
	struct wire_net net;
	/* bytes from WIRE_ARENA on that are taken: first by the path of a replay, then by the runtime */
	u64 arena_used;
};
_Static_assert(sizeof(struct wire_worker) <= WIRE_ARENA, "a worker's part must fit before its arena");

#endif
