/*
 * shim_priv.h: what the files of the shim share. All of it runs in the peer, mostly in the handler of
 * SIGSYS: no libc but memcpy and its kin, raw system calls only, and no lock is held while a call may block.
 */
#ifndef HEDDLE_SHIM_PRIV_H
#define HEDDLE_SHIM_PRIV_H

#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <ucontext.h>

#include "base/sys.h"
#include "shim/shim.h"

#define SHIM_SIGNAL SIGSTKFLT /* which nobody uses */
#define SHIM_PID 4190000      /* what each peer takes for its pid: nobody has it */
#define SHIM_FDS 4096
#define SHIM_EPOLL 1024
#define SHIM_THREADS 256

#define shim_call(nr, ...) SHIM_CALL_(nr, __VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define SHIM_CALL_(nr, a, b, c, d, e, f, ...) \
	sys_call6(nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

/* A system call of the peer's, as it was trapped. */
struct call {
	long nr;
	long arg[6];
	ucontext_t *at;
};

/* A thread of the peer. Slots are found by the thread pointer, which stays the same when it is made anew. */
struct shim_thread {
	u64 fs;      /* 0: free */
	int tid;     /* now */
	int first;   /* at its beginning: in libc's memory */
	int shown;   /* what the program takes for it */
	u64 *clears; /* where the kernel writes 0 at its end */
	u64 robust, robust_size;
	char name[16];
	ucontext_t *parked; /* in the handler of SHIM_SIGNAL */
	u64 interrupted;    /* when its call was interrupted by us; 0: it was not */
};

struct shim {
	bool on;
	int control, null;
	int proc;      /* /proc: where the program has another root, names don't lead there */
	int pid;       /* of this process */
	int keeper;    /* 0: not known */
	int parent;    /* that forked it, by its first number; 0: none of the peer's */
	bool adopted;  /* brought back: the kernel does not know its parent for one */
	int first_pid; /* of the first one */
	int root;      /* first_pid of the program that forked this one, or whose forks did */
	int shown;     /* what the program takes for it */
	struct shim_page *page;
	struct shim_thread thread[SHIM_THREADS];
	atomic_int lock; /* of the tables of descriptors */
	u64 last_thread;
	bool started;      /* it has talked to somebody */
	const char *stops; /* why it cannot be saved any more; NULL: it can */
};
extern struct shim shim;

/* get_in.c */
bool shim_dispatch_on(void);
/* In a child: parent is the number of whoever forked it, for the kernel. */
void shim_connect_again(int parent);
HD_NORETURN void shim_exit(int status);
void shim_note(enum shim_act act);

/* thread_copies.c */
struct shim_thread *thread_self(void);
long thread_clone(struct call *c);
/* All other threads wait in their handlers. False: they don't come. */
bool threads_park(void);
void threads_unpark(void);
/* In a copy: make them anew. */
bool threads_recreate(void);
void threads_signal(ucontext_t *at);
u32 threads_count(void);
int thread_real(int shown);

/* signals.c */
void signals_start(void);
long signals_action(struct call *c);
long signals_mask(struct call *c);
/* A copy of a mask of the program's in which ours are not blocked. */
const void *signals_open(const void *mask, u64 *copy);
void shim_restorer(void);

/* timed_calls.c: calls that wait, with a time-out or without. False: not one of them. */
bool wait_call(struct call *c, long *result);
/* Any other call, again when it was interrupted by us. */
long call_again(struct call *c);

/* clock.c */
void clock_start(void);
bool clock_call(struct call *c, long *result);
void clock_advance(u64 ns);
void clock_tell(u64 ns);
u64 clock_told(void);
/* In a child process: it begins; it was interrupted, since the page says that time has passed. */
void clock_child_begins(void);
void clock_child_looks(void);
u64 clock_shown(long id);
u64 clock_real(long id);

/* start_chance.c */
/* which: of the behaviours that a peer can have by what it draws at its start. */
void start_chance_begin(const char *which);
void start_chance_pass_on(char **environment);
void start_chance_look(const struct call *c, long result);
long start_chance_getrandom(struct call *c);
void start_chance_read(const struct call *c, long n);

/* limits.c: true: done. */
bool limit_call(const struct call *c, long *result);
/* What the program has set does not hold for the shim, until it is told so again. */
void limits_lift(bool lift);

/* pids.c: true: done. Arguments may have changed. */
bool pid_call(struct call *c, long *result);

/* descriptors.c: false: not a call about them. */
bool descriptor_call(struct call *c, long *result);
void descriptors_start(void);
/* One of the shim's own. */
bool shim_owns(long fd);
bool descriptors_random(int fd);
/* A timer that was set once. */
bool descriptors_timer(int fd);
/* An event of epoll was handed over. */
void descriptors_events(int epoll, const void *events, long n);

/* freeze.c: a message, and with it a descriptor (pass; -1: none), of which the receiver gets a copy. */
bool shim_send(int control, struct shim_message *m, int pass);

/* rebuild.c */
/*
 * Record what is shared or lost across fork. control: of the copy. False: something can't be held, text
 * says what.
 */
bool rebuild_record(struct shim_message *m, int control, int *unread, char *text, size_t cap);
/* In a frozen copy: give up what would keep connections alive. */
void rebuild_release(void);
/* In a thawed copy. */
void rebuild_all(const struct shim_message *m, const int *fd, u32 n);

/* The descriptor of a file; -1: there is none. */
int rebuild_file_of(u64 inode);

/* inner_ends.c */
struct held;
/* What is written down of each, in the order of the message. False: there are too many. */
bool inner_add(struct shim_message *m, struct held *h, u32 end);
bool inner_unread(const struct held *h, struct shim_message *m, int *file);
void inner_rebuild(const struct held *h, const struct shim_message *m, const int *fd);

/* relatives.c */
/* It has forked a child. */
void relative_born(int pid);
/* In a child, which has none. */
void relatives_forget(void);
/* Before it is saved: those that have ended, and were not waited for. */
void relatives_record(void);
void relatives_renumber(const struct shim_message *m);
/* The kernel's number of a process that the program knows; the same if it is no relative. */
int relative_real(int pid);
/* Waits for children, getppid: true: done. */
bool relative_call(struct call *c, long *result);
/* This process ends by itself. */
void relative_ends(int status);

/* written_files.c */
void files_start(void);
bool files_own(u64 address);
/* A file is about to be changed. */
void files_touch(int folder, const char *path);
/* Before any call: does it change files? */
void files_call(const struct call *c);
/* What is in the files that were changed. False: it can't be kept. others: bits of
   those that it may not read. */
bool files_record(u64 *others);
void files_release(void);
/* Bits of those that it could not put back. */
u64 files_restore(void);

/* held_locks.c */
void locks_taken(void);
void locks_flock(int fd, long operation);
void locks_closed(int fd);
bool locks_record(void);
void locks_restore(void);

/* connection_names.c */
void name_keep(int fd);
/* False: nobody has kept it. */
bool name_tell(int fd, bool peer, void *address, u32 *len);
void name_forget(int fd);
void name_copied(int from, int to);
/* A connection was accepted. */
void name_accepted(int fd);

/* timer_copies.c: true: done. */
bool posix_timer_call(struct call *c, long *result);
void posix_timers_record(void);
/* When the threads are there. */
void posix_timers_restore(void);
/* In a child: it has none. */
void posix_timers_forget(void);
/* The peer's clock moves on: so do all timers of the kernel's that it has. */
void timers_advance(u64 ns);

/* descriptors.c, for rebuild.c */
struct epoll_entry {
	bool used, off; /* off: one shot was fired */
	int epoll, fd;
	u32 events;
	u64 data;
};
extern struct epoll_entry shim_epoll[SHIM_EPOLL];
extern u8 shim_shut[SHIM_FDS]; /* bits: 1 reading, 2 writing was shut down */

/* freeze.c */
void freeze_start(void);
void freeze_serve(void);

/* small_text.c */
size_t text_length(const char *s);
void text_add(char *out, size_t cap, const char *more);
void text_add_number(char *out, size_t cap, long n);
bool text_starts(const char *s, const char *with);
u64 text_number(const char *s, const char *behind, u32 base);
/* self/PART/NUMBER, below shim.proc */
void text_proc(char *out, size_t cap, const char *part, int number);

#endif
