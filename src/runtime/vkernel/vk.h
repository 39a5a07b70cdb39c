/*
 * vk.h: the virtual kernel. Every system call of the SUT ends in vk_syscall(), on the
 * calling fiber's stack, as an ordinary function call. Kernel objects live in model
 * memory; the host's files are read, never written.
 *
 * Whoever writes a handler starts with README.md in this folder: which verb when.
 */
#ifndef HEDDLE_RUNTIME_VK_H
#define HEDDLE_RUNTIME_VK_H

#include "base/base.h"
#include "iocache/cache.h"
#include "runtime/sched/sched.h"
#include "search/footprint.h"

struct vk_desc;

/* Descriptions that a call can find by their descriptors. */
#define VK_CALL_FOUND 8

/*
 * A system call under way: what the SUT asks, and how far the virtual kernel has got with it. Callers of
 * vk_syscall() set the first ones and leave the rest zero. It must stay where it is until vk_syscall()
 * returns.
 */
struct vk_call {
	long nr;
	long a[6];
	u64 pc;         /* where the SUT called, for messages */
	bool no_cancel; /* by a way that is never a cancellation point: syscall(), some of libc's own calls */
	bool by_program; /* fstat: libc calls it for every FILE, and looks at no time */

	/* ---- the virtual kernel's own (core/call.c) ---- */
	bool end_unseen;    /* tgkill for pthread_kill: it succeeds also after the thread's end */
	bool cancel_looked; /* a step of it looked for a request for cancellation */
	bool interrupted;   /* VK_RESTART stands for EINTR */
	bool stepped;       /* it has been a step: all it does from there on happens at that moment */
	bool early;         /* no late lookups: it would fail before it came to its step */
	u8 found_count, held_count;
	u64 watch;            /* a late lookup, for the step to come; 0: none */
	struct vk_desc *from; /* where its relative path starts, if that was looked up already */
	struct vk_desc *found[VK_CALL_FOUND]; /* looked up; the first held_count of them are held */
};

/* Before the search: descriptors 0, 1, 2, the seed, stdin. */
void vk_setup(void);
/* Result as the kernel gives it: value or -errno. */
long vk_syscall(struct vk_call *c);
/* A fiber ends (robust lists, per-fiber kernel state). */
void vk_fiber_end(u32 slot);
/* It will not come back from the calls it is in, if any: what they hold is let go. */
void vk_call_ends(u32 slot);

/*
 * The running fiber uses an object that stands for state outside the virtual kernel (libc's: core/objects.h):
 * a step where another fiber could tell when.
 */
void vk_use_outside(u64 object, enum access_mode mode);
/* Both at one moment. */
void vk_use_outside_two(u64 a, enum access_mode mode_a, u64 b, enum access_mode mode_b);
/* The running fiber enters, or leaves, a function whose descriptors the program never sees. */
void vk_hide_descriptors(bool on);
/* Named semaphores: 0 and the address of one, or -errno. pc: where the SUT called. */
long vk_sem_open(const char *path, int flags, u32 value, u64 pc, u64 *sem);
long vk_sem_close(u64 sem, u64 pc);
long vk_sem_unlink(const char *path, u64 pc);
/* Its number, as gettid() says. */
long vk_thread_id(u32 slot);
/* The name of a thread (NUL-terminated, at most 15 characters; 16 bytes). 0 or -errno. */
long vk_thread_set_name(u32 slot, const char *name);
long vk_thread_get_name(u32 slot, char *to);
/* Does this descriptor lead to the console? */
bool vk_is_console(int fd);

/* Eight bytes of the running fiber's random stream: for instructions that roll dice. */
u64 vk_random_u64(void);

/* Model memory of the virtual kernel: one struct, zero at start, in LAYOUT_MODEL. Size is vk_model_size(). */
size_t vk_model_size(void);
void vk_model_place(void *at);

/* ---- sockets, for judging states in which nobody can move (sock_wait.c) ---- */

/*
 * A connection of a client that still waits for an answer to what nobody has read; NULL: none. Asks the
 * network.
 */
const struct cache_pos *vk_unanswered(u64 *bytes);
/* A client of which a selector has told that it came, and that nobody has accepted; 0: none. */
u32 vk_unaccepted(void);
/* Was much sent to a peer while much of what it had said was not read? */
bool vk_saw_floods(void);
/* Does the program have a handler for a signal by which people and other processes tell it things? */
bool vk_catches_signals(void);
/* A client whose first datagram has arrived, and is not received; 0: none. */
u32 vk_unreceived(void);
/* A client that is there, of whose last message a part did not fit, and nobody has sent the rest; 0: none. */
u32 vk_cut_short(void);
/* A client that waits for more than it was sent, as other executions tell; NULL: none. Asks the network. */
const struct cache_pos *vk_left_waiting(void);
/* Is a client still there, to which the program could speak? Asks the network. */
bool vk_client_stays(void);
/* Did any execution accept a connection, or receive a datagram? */
bool vk_was_served(void);

#endif
