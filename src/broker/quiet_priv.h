/*
 * quiet_priv.h: what the files that look into a peer share.
 */
#ifndef HEDDLE_BROKER_QUIET_PRIV_H
#define HEDDLE_BROKER_QUIET_PRIV_H

#include "broker/quiet.h"
#include "broker/waits.h"

/* The files of a thread that are read in every look; they stay open, which saves two thirds of the time. */
enum thread_file { THREAD_SYSCALL, THREAD_RUNS, THREAD_STATE, THREAD_CHILDREN, THREAD_FILES };

/* Where a thread was found sleeping while nothing was asked of the peer. */
struct periodic {
	bool known;
	/* it may be a loop that looks for work: it must have looked once more before it counts as idle */
	bool frequent;
	long call;
	u64 sp, pc;
};

/* Where it waits with a short time-out; pending: it is given its time. See grace.c. */
struct grace {
	long call;
	u64 sp, pc, runs, asked;
	bool known, pending;
	bool acts; /* it spoke when the time was over */
	u32 tries;
};

struct quiet_thread {
	pid_t pid, tid;
	int fd[THREAD_FILES]; /* -1: opened for each reading */
	bool seen;            /* in the enumeration under way */
	char name[32];        /* when its state was last read */
	u64 listener;         /* inode of a listening socket it was seen waiting at, and its port */
	u16 listener_port;
	struct wait wait;
	u64 runs;                /* at pass A */
	u64 asleep_at;           /* runs at the last quiet_asleep */
	u64 calm_since;          /* runs when the peer was first found calm */
	u64 lull, lull_since_ms; /* runs at the start of its present periodic sleep; when that was seen */
	struct periodic periodic;
	struct grace grace;
};

/* Of a process: what is known about its timers since the peer was asked last; see timers.c. */
struct ticks {
	bool known, housekeeping;
	u32 rounds;
	u64 asked, runs;
};
struct alarms {
	bool known, armed;
	u32 rounds;
	u64 asked, runs, since_ms;
	u64 takes_ms; /* so long it took to act; 0: it never did */
};

struct quiet_process {
	pid_t pid;
	int task; /* its folder of threads, open */
	bool seen;
	struct ticks ticks;
	struct alarms alarms;
};

struct quiet_peer {
	int nl;
	pid_t *roots;
	u32 roots_n;
	struct quiet_process *process;
	u32 processes;
	struct quiet_thread *thread;
	u32 threads;
	struct periodic *place; /* where threads of processes slept periodically that others have replaced */
	u32 places;
	bool blind;       /* something of it could not be looked into */
	bool calm;        /* all rest, apart from threads that sleep periodically */
	bool long_alarms; /* timers whose end is not known did not expire while it was waited for them */
	u64 calm_sent;
	u64 asked;       /* counts questions and connections */
	bool questioned; /* it was ever sent anything */
	bool satisfied;  /* quiet_satisfied */
};

/* Bring the lists up to date. True: they are what they were before. */
bool threads_enumerate(struct quiet_peer *q);
void threads_free(struct quiet_peer *q);
/* Text of a thread's file, 0-terminated. Negative: it is gone, or not ours to see. */
int thread_read(const struct quiet_thread *t, enum thread_file which, char *out, size_t cap);
u64 thread_runs(const struct quiet_thread *t);
/* The letter of its state (0: it cannot be seen); fills in t->name. */
char thread_state(struct quiet_thread *t);
/* Fills in t->wait; its kind is never WAIT_FILE. */
void thread_look(struct quiet_thread *t);

/* Is the thread in the sleep it always sleeps? */
bool periodic_sleeps(const struct quiet_thread *t);
/* q is about to lose its threads: their periodic sleeps are kept as places. */
void periodic_keep(struct quiet_peer *q);
/* Is the thread, which sleeps, at such a place? Then it is periodic. */
void periodic_recall(const struct quiet_peer *q, struct quiet_thread *t);
/* All others rest: have the periodic threads woken up and gone back to sleep since? */
bool periodic_settled(struct quiet_peer *q, u64 sent);

/* t waits with a time-out, and t->runs is up to date: has it had the time to speak? */
bool grace_is_over(const struct quiet_peer *q, struct quiet_thread *t);
/* The same, where the time-out is known to be so long. */
bool grace_has_passed(const struct quiet_peer *q, struct quiet_thread *t, u64 limit_ms);

#define GRACE_MS 600 /* longer time-outs are not waited for */

/* All threads rest: may a timer wake the peer up, soon or later? */
enum timers { TIMERS_NONE, TIMERS_LATER, TIMERS_SOON };
enum timers timers_look(struct quiet_peer *q);
void timers_spoke(struct quiet_peer *q);

/* What is on its way on c; sets c->queue and c->accepted. */
void queue_look(int nl, struct quiet_conn *c);

/* What a descriptor of a process is: "socket:[4711]". Negative: gone. */
int owner_link(pid_t pid, int fd, char *out, size_t cap);

/* The inode of the other end of our socket; 0: nobody has it. */
u64 owner_other_end(int nl, int fd);

#ifdef HEDDLE_ABLATION
/* Tests build the broker without one of its passes, to see that they notice. */
#define ABLATION_THREADS 1
#define ABLATION_QUEUES 2
#define ABLATION_AGAIN 3
extern int quiet_ablation;
#define quiet_without(pass) (quiet_ablation == (pass))
#else
#define quiet_without(pass) false
#endif

#endif
