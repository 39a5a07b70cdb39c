/*
 * vk_priv.h: the inside of the virtual kernel. Not for other folders.
 *
 * Three kinds of memory, and what may point where:
 *
 *   struct vk_model   rolled back; fingerprinted. Slots are lowest-free or chosen by hash,
 *                     a free slot is all zero, nothing counts up.
 *   file data         rolled back; each overlay inode owns a fixed window of VK_FILE_MAX bytes
 *                     in the kernel's heap arena, so that growing a file allocates nothing and
 *                     its address depends on its name alone.
 *   host snapshot     (host.c) never rolled back: what was learnt about the real file system.
 *                     The model refers to it by key (hash of the path), never by pointer or
 *                     index: those depend on which schedule looked first.
 *
 * Law: real system calls never touch SUT memory (its pages may be write-protected); data
 * goes through memory of ours and is copied with plain stores. And whatever is looked up before a step must
 * be looked up again after it, but for descriptions found by vk_fd_use(), which the call holds to its end.
 */
#ifndef HEDDLE_RUNTIME_VK_PRIV_H
#define HEDDLE_RUNTIME_VK_PRIV_H

#include <asm/stat.h>
#include <asm/unistd.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/poll.h>
#include <linux/stat.h>
#include <linux/time_types.h>
#include <linux/uio.h>
#include <string.h>

#include "base/base.h"
#include "base/sys.h"
#include "base/text.h"
#include "runtime/rt.h"
#include "runtime/sched/access.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/futex.h"
#include "runtime/sched/sched.h"
#include "runtime/vkernel/core/abi.h"
#include "runtime/vkernel/core/objects.h"
#include "runtime/vkernel/sockets/sock_model.h"
#include "runtime/vkernel/vk.h"
#include "runtime/vkernel/vk_ops.h"
#include "state/track.h"

#define VK_MAX_FDS 8192 /* RLIMIT_NOFILE, hard and at the start */
#define VK_HIDDEN_FDS 8 /* of each fiber, above all others: core/fd.c, "Hidden numbers" */
#define VK_ALL_FDS (VK_MAX_FDS + LAYOUT_MAX_FIBERS * VK_HIDDEN_FDS)
#define VK_MAX_DESCS (VK_MAX_FDS + 1024) /* some have no number: connections that wait, calls that hold */
#define VK_MAX_PIPES (VK_MAX_FDS / 2)    /* more there can't be */
#define VK_PIPE_SIZE 65536u
#define VK_PIPE_SIZE_MAX 0x100000u /* fs.pipe-max-size */
#define VK_LARGE_PIPES 64u         /* so many can be larger than usual: the first ones */
#define VK_PIPE_BUF 4096u
#define VK_MAX_INODES 512
#define VK_MAX_NAMES 512
#define VK_PATH_MAX 1024
#define VK_FILE_BASE (LAYOUT_HEAP_BASE + (u64)LAYOUT_MAX_FIBERS * LAYOUT_HEAP_STRIDE)
#define VK_FILE_MAX (LAYOUT_HEAP_STRIDE / VK_MAX_INODES) /* 32 MiB */
static inline bool vk_is_file_data(u64 address)
{
	return address - VK_FILE_BASE < (u64)VK_MAX_INODES * VK_FILE_MAX;
}
#define VK_MAX_MAPS 1024  /* per fiber */
#define VK_MAX_GUARDS 256 /* pieces of memory with other rights than at the start */
#define VK_MAX_SHARED 64  /* host files mapped shared */
#define VK_SIGNALS 64
#define VK_PID 1000
#define VK_MAX_RW 0x7ffff000u /* what one call may move, as in Linux */

/* ---- descriptors ---- */

enum vk_kind {
	VK_FREE = 0,
	VK_CONSOLE, /* stdout, stderr */
	VK_FILE,    /* regular file, on the host or in the overlay */
	VK_DIR,
	VK_DEVICE, /* /dev/null and relatives */
	VK_PIPE,
	VK_EVENTFD,
	VK_TIMERFD,
	VK_SIGNALFD,
	VK_SOCKET,
	VK_EPOLL,
	VK_KINDS
};

/* An open file description: what dup shares. */
struct vk_desc {
	u16 kind;
	u16 sub;   /* console: 1 or 2; pipe: the end; device: which; eventfd: semaphore */
	u32 refs;  /* descriptors, plus fibers inside a call */
	u32 flags; /* O_* */
	u32 maker; /* slot of the fiber that made it */
	/* pipe: slot; timerfd: timer; file and directory: overlay inode + 1, or 0: on the host */
	u32 object, pad2;
	u64 host; /* key of the host node */
	/* file offset; directory: hash of the last name; eventfd, timerfd: counter; signalfd: the set */
	u64 pos;
};

struct vk_fd {
	u16 desc; /* slot + 1 */
	u16 cloexec : 1;
	u16 opener : 15; /* slot of the fiber that made it mean this */
};

/* The SUT's buffers, and how far a call has got in them. */
struct vk_uio {
	const struct iovec *iov;
	u32 count, at;
	size_t off, left;
	bool faulted; /* a byte was to be moved that can't be read or written */
};

/* What a kind of description can do; NULL: EINVAL, or nothing to do. */
struct vk_ops {
	/* pos: the offset to use and advance; streams ignore it. */
	long (*read)(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u64 *pos);
	long (*write)(struct vk_call *c, struct vk_desc *d, struct vk_uio *u, u64 *pos);
	u32 (*poll)(const struct vk_desc *d); /* POLL* that hold now; NULL: always readable and writable */
	void (*stat)(const struct vk_desc *d, struct stat *st);
	long (*pending)(struct vk_call *c, const struct vk_desc *d); /* FIONREAD */
	void (*release)(struct vk_desc *d);     /* the last reference goes; declares what that changes */
	u64 (*object)(const struct vk_desc *d); /* with waits: what its calls meet at */
	bool stream;                            /* no offset: ESPIPE */
	bool waits;                             /* calls are steps; poll must be one, too */
	/* with waits: is a transfer's first act a step on it? NULL: always */
	bool (*steps_first)(const struct vk_desc *d);
	/* What its last close touches beyond it, which is about to happen; NULL: nothing */
	void (*close_accesses)(const struct vk_desc *d);
};
extern const struct vk_ops *const vk_kinds[VK_KINDS];
extern const struct vk_ops vk_console_ops, vk_file_ops, vk_dir_ops, vk_device_ops, vk_pipe_ops,
	vk_eventfd_ops, vk_timerfd_ops, vk_signalfd_ops, vk_socket_ops, vk_epoll_ops;

/*
 * The description behind a descriptor, for a call: a step first, where other fibers change what the number
 * means. The call holds it until it ends, whoever closes it meanwhile. NULL: EBADF.
 */
struct vk_desc *vk_fd_use(struct vk_call *c, int fd);
/* For FD_CLOEXEC, which is of the number: all at one moment. */
struct vk_desc *vk_fd_use_at_once(struct vk_call *c, int fd);
/*
 * The same for calls whose first act is vk_step() on that description: both become one step (core/call.c,
 * "Late lookups"). Until then such a call may only fail, without leaving a trace.
 */
struct vk_desc *vk_fd_use_late(struct vk_call *c, int fd);
/*
 * Say that the call depends on what fd means, as vk_fd_use() does, for those that look it up themselves,
 * later.
 */
void vk_fd_touch(struct vk_call *c, int fd);
/* What is behind fd now, or NULL: to describe, or right behind a step. Declares nothing, holds nothing. */
struct vk_desc *vk_fd_peek(int fd);
/* A fresh description with one reference that belongs to the caller; NULL: ENFILE. */
struct vk_desc *vk_desc_new(enum vk_kind kind, u32 flags);
/* One reference more, or less: the last one releases it. */
void vk_desc_ref(struct vk_desc *d);
void vk_desc_put(struct vk_desc *d);
/* What a call answers that could not get one: -ENFILE, and the verdict names the limit. */
long vk_desc_none(const struct vk_call *c);
void vk_desc_stat(const struct vk_desc *d, struct stat *st);
/* vk_ops.stat of what is no file, and has no state that a stat would show: eventfds and their like. */
void vk_anonymous_stat(const struct vk_desc *d, struct stat *st);
/* Put d at the lowest free descriptor; takes over the reference. Does not step: see vk_fd_take. */
long vk_fd_install(struct vk_desc *d, bool cloexec);
/* The call is going to change what descriptor `fd` means. A step where that shows. */
void vk_fd_change(struct vk_call *c, int fd);
/* Is there no number left? For calls that take one before they do anything else. */
bool vk_fd_full(void);
/* The same for the `count` lowest numbers that are free, from `from` on. */
void vk_fd_take(struct vk_call *c, u32 from, u32 count);
/* Descriptor `fd` goes; 0 or -EBADF. */
long vk_fd_drop(int fd);
/* --check-fds (fd_check.c): who closed a number; calls that find it closed, or closed under their hands. */
void vk_fd_closed_by_self(int fd);
void vk_fd_replaced(int fd);
void vk_fd_check_use(struct vk_call *c, int fd);
void vk_fd_check_close(struct vk_call *c, int fd);
/* fcntl's F_SETFL of a description, and F_SETFD of an open descriptor; may be a step. */
long vk_desc_set_flags(struct vk_call *c, struct vk_desc *d, u32 flags);
long vk_fd_set_cloexec(struct vk_call *c, int fd, bool cloexec);
/* For people: "descriptor 3"; all descriptors of a description. */
void vk_describe_fd(int fd, struct text *t);
void vk_describe_desc(const struct vk_desc *d, struct text *t);

/* ---- steps (core/call.c) ---- */

/*
 * A visible operation, which may wait. Returns the outcome, or VK_RESTART (only in a call that began with a
 * late lookup, or of which a
 * signal ended the wait): then the handler returns that at once, and is called again, or fails with EINTR.
 */
long vk_step(struct vk_call *c, const struct op *o);
#define VK_RESTART (-4096L)
/*
 * vk_step() for a transfer that may wait for bytes, events or room; with `tries` it does not, and op.n is 1.
 * again: it will say once more that there is an end; who does so in a loop goes round in circles.
 */
long vk_transfer_step(struct vk_call *c, u16 kind, const void *object, u64 arg, bool tries, bool again);
/*
 * The same for an operation that never waits, and only marks the moment of what follows: not if there has
 * been a step.
 */
void vk_step_once(struct vk_call *c, const struct op *o);
/*
 * The call reads or changes `object` now: declared in the footprint, and a step where another fiber could
 * tell when. Whatever was looked up before must be looked up again, but for descriptions that the call holds.
 */
void vk_use(struct vk_call *c, u64 object, enum access_mode mode);
/*
 * For several objects at once: touch each; if one of them says true, vk_order(), and touch all of them again,
 * as the state may be another, and the step is. A call that has been a step only declares (so does c == NULL:
 * what follows is part of a step). What happens while no other thread is there to see it (none yet, or all
 * joined) teaches nothing.
 */
bool vk_touch(const struct vk_call *c, u64 object, enum access_mode mode);
/* The same for an object that stands for many (access_use_lesson): the caller declares what it uses. */
bool vk_touch_lesson(const struct vk_call *c, u64 object, enum access_mode mode);
void vk_order(struct vk_call *c, u64 object, enum access_mode mode);
/* A use inside a step that is one anyway: declared, nothing is learnt from it. */
void vk_declare(u64 object, enum access_mode mode);
/* op_class.accesses: an operation on one object that it changes, and what a late lookup depends on. */
void vk_op_changes(const struct op *o, u64 object);
void vk_op_looked_up(const struct op *o);
/* vk_declare for a number: a use that does not find it open is an ACCESS_TRY. */
void vk_fd_declare(int fd, enum access_mode mode);
/* A fiber takes slots of descriptions and pipes in steps of so many; taking or freeing one is declared. */
u32 vk_slot_lanes(void);
void vk_slot_declare(u32 slot, bool takes);
/*
 * A call that waits with another signal mask (0: with its own): sets it, 0 or an error.
 * vk_mask_leave() sets the old one again.
 */
long vk_mask_enter(struct vk_call *c, long set, long size, u64 *kept);
void vk_mask_leave(u64 kept);
/* A cancellation point that is no step otherwise (core/cancel_point.c). */
void vk_cancel_point(struct vk_call *c);
/* Outside the model: noted, and the verdict will be "incomplete". */
void vk_refuse(const struct vk_call *c, const char *what);

/* ---- SUT memory ---- */

/*
 * May the SUT read these bytes, may it write them? How many from the first one on? (mapping/user.c) They must
 * be asked in the moment of the use: others may change that in a step.
 */
bool vk_user_ok(u64 address, size_t n);
bool vk_user_out_ok(u64 address, size_t n);
size_t vk_user_prefix(u64 address, size_t n, bool write);
/* A call is going to use memory of the SUT there: a step, where others change what it may do with it. */
void vk_user_use(struct vk_call *c, u64 address);
/* Is the first thing that a transfer does a step on the description? */
bool vk_desc_steps_first(const struct vk_desc *d);
size_t vk_uio_out(struct vk_uio *u, const void *from, size_t n); /* to the SUT; from NULL: zeros */
size_t vk_uio_in(struct vk_uio *u, void *to, size_t n);
bool vk_uio_readable(const struct vk_uio *u); /* all that is left; for what is sent whole, or not */
/* From the SUT's vector; 0 or an error. What can't be read or written is found out when it is moved. */
long vk_uio_init(struct vk_call *c, struct vk_uio *u, const struct iovec *iov, long count);
/*
 * The result of a call that has moved bytes from or to u: -EFAULT if it moved none because the buffer is bad.
 */
static inline long vk_uio_result(const struct vk_uio *u, long result)
{
	return u->faulted && !result ? -EFAULT : result;
}
static inline void *vk_user(long a)
{
	return (void *)a;
}

/* ---- pipes ---- */

enum { VK_PIPE_READ, VK_PIPE_WRITE };
/*
 * Bytes lie at the front, zeros behind: a drained pipe has no history. Those of a pipe whose size is above
 * VK_PIPE_SIZE lie in vk->large_pipe.
 */
struct vk_pipe {
	u32 used, readers, writers;
	u32 len, size;
	u32 mode;     /* permissions */
	u32 end_told; /* a reader was told of the end; until somebody writes again */
	u8 data[VK_PIPE_SIZE];
};
/* "the pipe 3 <- 4" */
void vk_describe_pipe(const struct vk_pipe *p, struct text *t);
struct vk_pipe *vk_pipe_of(const struct vk_desc *d);
u8 *vk_pipe_data(struct vk_pipe *p);
/* n bytes leave it at the front; n bytes were put behind those it holds. Who watches it is told. */
void vk_pipe_left(struct vk_pipe *p, u32 n);
void vk_pipe_came(struct vk_pipe *p, u32 n);
/* Nothing is in it, and nobody will write any more. */
bool vk_pipe_at_end(const struct vk_pipe *p);
/* Would this end say again what it has said before: that the other one is closed? */
bool vk_pipe_tells_again(const struct vk_desc *d);
/* F_GETPIPE_SZ and F_SETPIPE_SZ. */
long vk_pipe_size(struct vk_call *c, const struct vk_desc *d);
long vk_pipe_resize(struct vk_call *c, const struct vk_desc *d, u32 want);

/* ---- epoll sets (streams/epoll.c) ---- */

#define VK_MAX_EPOLLS 64u
#define VK_EPOLL_ITEMS 1024u
struct vk_epoll {
	u32 used, count, ready, pad; /* ready: how many are in the ready list */
	struct vk_epoll_item {
		int fd;     /* the number by which it was added */
		u32 events; /* EPOLL* */
		u64 data;
		u16 desc;  /* slot + 1; 0: a free place */
		u16 place; /* in the ready list, from 1; 0: it is not there */
		u16 turn;  /* of several of one description: that with the highest hears first */
		u16 pad;
	} item[VK_EPOLL_ITEMS];
};

/* ---- files ---- */

struct vk_inode {
	u64 id;     /* st_ino; 0: free slot */
	u64 origin; /* key of the host node it was copied from, or 0 */
	u32 mode, nlink, opens;
	u32 uid, gid;
	u32 mapped;  /* shared mappings of it: mapping/shared_file.c */
	u64 guarded; /* up to where its place is guarded, behind its end; 0: it is not */
	u64 size;
	struct {
		u64 sec, nsec;
	} atime, mtime;
};

struct vk_name {
	u64 key, parent; /* hash of the path, of its directory; 0: free slot */
	u32 inode;       /* slot + 1; 0: the name was removed (hides the host's) */
	u32 base;        /* where the last component starts in path */
	char path[VK_PATH_MAX];
};

/* Bytes of a file from pos on that lie together; their number, 0 at the end. */
size_t vk_file_view(const struct vk_desc *d, u64 pos, const u8 **at);
u64 vk_file_size(const struct vk_desc *d);
/*
 * Tell the scheduler that this fiber uses a file's contents or attributes, and its position; may be a step.
 */
void vk_file_use(struct vk_call *c, struct vk_desc *d, enum access_mode mode, bool position);
void vk_file_stat(const struct vk_desc *d, struct stat *st);
void vk_file_release(struct vk_desc *d);
long vk_dir_seek(struct vk_call *c, struct vk_desc *d, long offset, int whence);
/* Move up to n bytes from a file to anything that can be written. */
long vk_file_copy(struct vk_call *c, struct vk_desc *in, u64 *in_pos, struct vk_desc *out, u64 *out_pos,
		  u64 n);

/* ---- locks on files (files/file_locks.c) ---- */

#define VK_MAX_LOCKS 64
enum vk_lock_kind { VK_LOCK_WHOLE, VK_LOCK_RECORD }; /* flock, fcntl: they don't see each other */
struct vk_lock {
	u64 file;       /* an object id */
	u64 start, end; /* both belong to it */
	u32 desc;       /* slot + 1 of the owner */
	u16 kind, exclusive;
};
struct vk_file_locks {
	u32 count, of_process; /* of_process: some thread has set a traditional lock */
	struct vk_lock lock[VK_MAX_LOCKS];
};

/* ---- memory mappings ---- */

struct vk_map {
	u64 start, end;
	u32 prot;
	u32 touched; /* may hold something else than zeros */
};
struct vk_maps {
	u64 count;
	struct vk_map map[VK_MAX_MAPS];
};
/* Was this file of the host mapped in a way that would show later writes? (mmap.c) */
bool vk_mapped_shared(u64 host);

/* ---- signals ---- */

struct vk_sigaction { /* as the system call has it */
	u64 handler, flags, restorer, mask;
};

/* One signal that waits. */
struct vk_siginfo {
	u16 sig;   /* 0: a free place */
	u16 timer; /* SI_TIMER: its id */
	int code;
	u64 value;
};
#define VK_QUEUED 16
struct vk_signals {
	u64 pending;                       /* those in the queue, as bits */
	struct vk_siginfo info[VK_QUEUED]; /* by number, at the front */
};

#define VK_MAX_TIMERS 33
struct vk_timer {
	u16 used, silent; /* silent: it can only be looked at */
	u16 sig, thread;  /* thread: slot + 1; 0: to the process */
	u32 wall;
	u16 desc;     /* timerfd: slot + 1 of its description */
	u16 rank;     /* timerfd, armed: its place in the order of arming, from 1 */
	u64 deadline; /* as in struct op; 0: not armed */
	u64 interval, value;
	u64 function, stack_size; /* SIGEV_THREAD: function(value) runs in a thread of its own; 0: no */
	u16 notified[4];          /* … the threads of which two run at most: slot + 1; 0: none */
};

#define VK_MAX_HELD 16
struct vk_fiber {
	u64 mask;
	u64 mask_behind; /* in a call with another mask: its own, and SIGKILL's bit; 0: not in one */
	u64 wanted;      /* signals it waits for in sigwait and the like */
	struct vk_signals signals;
	u64 alt_sp, alt_size, alt_flags;
	u64 random; /* position in this fiber's stream */
	u64 hides;  /* inside functions of libc whose descriptors are hidden */
	/*
	 * Descriptions that calls under way keep alive, outer calls first (a signal handler makes calls
	 * inside one).
	 */
	struct vk_held {
		u64 call;      /* address of its struct vk_call: the deeper, the lower */
		u32 desc, pad; /* slot + 1 */
	} held[VK_MAX_HELD];
};

/* ---- settings (process/settings.c); 0 is what a program starts with ---- */

#define VK_LIMIT_COUNT 16 /* RLIM_NLIMITS */
struct vk_limit {
	u64 soft, hard; /* what it is xor what it was at the start */
};
/* Of a thread. */
struct vk_settings {
	u64 timer_slack; /* xor its first value, and so is affinity */
	u16 io_priority;
	u8 affinity, policy, priority, reset_on_fork, death_signal, no_new_privs, keep_caps;
	signed char nice;
	u8 pad[2];
	u32 personality;
};
/* Bits of the process. */
enum vk_setting { VK_SETTING_NOT_DUMPABLE, VK_SETTING_NO_HUGE_PAGES, VK_SETTING_SUBREAPER };
/* Descriptor numbers are below that: RLIMIT_NOFILE. */
u32 vk_fd_max(void);
/* Of a resource (RLIMIT_…). */
u64 vk_limit_soft(u32 resource);
u64 vk_limit_hard(u32 resource);
/* Whether a thread has not ended, and the name of the first one: may be steps. */
bool vk_thread_seen(struct vk_call *c, u32 slot);
void vk_first_thread_name(struct vk_call *c, char *to);
/* A fiber starts, and has its creator's settings; it ends. */
void vk_settings_inherit(u32 slot, u32 creator);
void vk_settings_forget(u32 slot);

/* ---- credentials (process/credentials.c): what they are xor what they were at the start ---- */

enum vk_id { VK_ID_USER, VK_ID_GROUP };
#define VK_MAX_GROUPS 32
struct vk_credentials {
	u32 id[2][3]; /* real, effective, saved */
	u32 fs[2];    /* xor the effective one */
	u64 caps[3];
	u32 groups_set, group_count; /* set: they are others than at the start */
	u32 group[VK_MAX_GROUPS];
};
/* Is the effective user root? Declares nothing. */
bool vk_may_do_all(void);

/* ---- named semaphores (process/named_semaphores.c) ---- */

#define VK_MAX_SEMAPHORES 32
struct vk_semaphore {
	char name[48];
	u32 refs, linked; /* sem_open without sem_close; linked: the name leads here */
	u32 words[8];     /* the sem_t */
};

struct vk_model {
	u32 fd_limit, desc_limit; /* one above the highest in use */
	struct vk_limit limit[VK_LIMIT_COUNT];
	struct vk_fd fd[VK_ALL_FDS];
	u16 closed_by[VK_MAX_FDS]; /* slot + 1 of who closed it last; with --check-fds only (fd_check.c) */
	struct vk_desc desc[VK_MAX_DESCS];
	struct vk_sigaction action[VK_SIGNALS + 1];
	struct vk_fiber fiber[LAYOUT_MAX_FIBERS];
	struct vk_settings settings[LAYOUT_MAX_FIBERS];
	u64 process_settings; /* bits by enum vk_setting */
	struct vk_credentials credentials;
	struct vk_file_locks file_locks;
	struct vk_semaphore semaphore[VK_MAX_SEMAPHORES];
	struct vk_signals signals; /* to the process */
	struct vk_timer timer[VK_MAX_TIMERS];
	u64 umask;
	u64 names;             /* how many entries of name are in use */
	u64 brk;               /* the program break; 0: where it starts */
	char cwd[VK_PATH_MAX]; /* stored form (path.c); "": where the SUT was started */
	struct vk_inode inode[VK_MAX_INODES];
	u64 name_key[VK_MAX_NAMES]; /* name[i].key, close together for searching */
	struct vk_name name[VK_MAX_NAMES];
	struct vk_maps maps[LAYOUT_MAX_FIBERS];
	struct vk_pipe pipe[VK_MAX_PIPES];
	u8 large_pipe[VK_LARGE_PIPES][VK_PIPE_SIZE_MAX];
	u64 epolls; /* one above the highest in use */
	struct vk_epoll epoll[VK_MAX_EPOLLS];
	u64 client_taken[NET_MAX_CLIENTS / 64]; /* client peers whose connection was accepted */
	/*
	 * … and whose last one was closed, there, if they open another one; of joint clients: where all are
	 */
	struct cache_pos client_last[NET_MAX_CLIENTS];
	/* Which connections of a joint client were accepted: sock_joint.c. */
	u64 joint_taken[NET_MAX_CLIENTS][(NET_JOINT_MAX + 64) / 64];
	struct dgram_client dgram_client[NET_MAX_CLIENTS];
	struct cache_pos shared; /* where the conversation with the server peers is, if they are joint */
	u64 naps;       /* so often they were told of time that passes, since they were told anything else */
	u64 parted;     /* a connection to a server was closed, which it may not know: cache_check_silence */
	u64 net_faults; /* so many have happened; counted where there is a budget (sock_fault.c) */
	struct vk_sock sock[VK_MAX_DESCS];     /* beside desc */
	u8 sock_data[VK_MAX_DESCS][SOCK_ROOM]; /* what waits to be read: at the front, zeros behind */
	struct vk_guards {
		u64 count;
		struct vk_map map[VK_MAX_GUARDS];
	} guards;
	u64 mapped_shared[VK_MAX_SHARED]; /* keys of host files, in ascending order, zeros behind */
};
extern struct vk_model *vk;
static inline u32 vk_desc_slot(const struct vk_desc *d)
{
	return (u32)(d - vk->desc);
}
/*
 * A part of this description, not of others that have or had its slot: what is learnt about its uses. As with
 * numbers (core/fd.c, "Whose number").
 */
static inline u64 vk_desc_lesson(const struct vk_desc *d, enum vk_desc_part part)
{
	return vk_desc_object(vk_desc_slot(d), part) | (u64)(d->maker + 1) << 40;
}
static inline struct vk_fiber *vk_self(void)
{
	return &vk->fiber[sched_self_slot()];
}

/* ---- neighbours: what other folders of the runtime provide ---- */

/* ---- time (time.c) ---- */

u64 vk_time_ns(const struct __kernel_timespec *t); /* saturates */
bool vk_time_valid(const struct __kernel_timespec *t);

/* ---- devices ---- */

enum { VK_DEVICE_NULL, VK_DEVICE_ZERO, VK_DEVICE_FULL, VK_DEVICE_RANDOM };
struct vk_desc *vk_device_new(u16 which, u32 flags);

/* ---- random (getrandom.c) ---- */

void vk_random_bytes(struct vk_uio *u, size_t n);

/* ---- system calls, one declaration a handler; the table is syscall_table.c ---- */

typedef long vk_handler(struct vk_call *c);
#define VK_HANDLER(name) vk_handler vk_sys_##name;
#include "runtime/vkernel/core/handlers.h"
#undef VK_HANDLER

struct vk_syscall_class {
	const char *name;
	enum { CALL_UNKNOWN = 0, CALL_VIRTUAL, CALL_CONST, CALL_REFUSED } how;
	vk_handler *handler;
	long value; /* CALL_CONST: the result */
};
extern const struct vk_syscall_class vk_syscalls[];
extern const u32 vk_syscall_count;

#endif
