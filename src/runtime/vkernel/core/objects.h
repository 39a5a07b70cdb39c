/*
 * objects.h: what of the virtual kernel fibers can meet at, as object ids (search/footprint.h), and which
 * words of the model belong to each. A free slot belongs to nobody: making or freeing it declares the object
 * it becomes or was.
 */
#ifndef HEDDLE_RUNTIME_VK_OBJECTS_H
#define HEDDLE_RUNTIME_VK_OBJECTS_H

#include "search/footprint.h"

/*
 * Process-wide state; each has its row in vk_process_state (objects.c). The scheduler's own numbers (the
 * clock …) are below 0x100.
 */
enum vk_process_object {
	VK_PROCESS_UMASK = 0x100, /* vk->umask */
	VK_PROCESS_CWD,           /* vk->cwd */
	VK_PROCESS_BREAK,         /* vk->brk; the mapping itself is OBJECT_MAPPING 0 */
	VK_PROCESS_LIMITS,        /* vk->limit */
	VK_PROCESS_SETTINGS,      /* vk->process_settings */
	VK_PROCESS_ENDS, /* no words: whether connections have come to their end, as getpeername can tell */
	VK_PROCESS_CLIENTS,     /* vk->client_taken, client_last and their like, and who waits for clients */
	VK_PROCESS_PARTED,      /* vk->parted */
	VK_PROCESS_SHARED,      /* vk->shared */
	VK_PROCESS_SLOTS,       /* vk->desc_limit; which descriptions, pipes and inodes are free */
	VK_PROCESS_SHARED_MAPS, /* vk->mapped_shared */
	VK_PROCESS_NAMES,       /* vk->names */
	VK_PROCESS_GUARDS,      /* vk->guards */
	VK_PROCESS_HIDDEN_FDS,  /* no words: whether hidden numbers can be told from others (core/fd.c) */
	VK_PROCESS_TIMERS,      /* vk->timer */
	VK_PROCESS_CREDENTIALS, /* vk->credentials */
	VK_PROCESS_FILE_LOCKS,  /* vk->file_locks */
	VK_PROCESS_SEMAPHORES,  /* vk->semaphore, but for the semaphores themselves */
	VK_PROCESS_NET_FAULTS,  /* vk->net_faults */
};
/* Its name for people, and the words of struct vk_model that it is, if any; one row for each field. */
struct vk_process_state {
	enum vk_process_object object;
	const char *name;
	u64 offset, size;
};
extern const struct vk_process_state vk_process_state[];
extern const u32 vk_process_state_count;

#define VK_UMASK object_id(OBJECT_PROCESS, VK_PROCESS_UMASK)
#define VK_CWD object_id(OBJECT_PROCESS, VK_PROCESS_CWD)
#define VK_BREAK object_id(OBJECT_PROCESS, VK_PROCESS_BREAK)
#define VK_LIMITS object_id(OBJECT_PROCESS, VK_PROCESS_LIMITS)
#define VK_SETTINGS object_id(OBJECT_PROCESS, VK_PROCESS_SETTINGS)
#define VK_ENDS object_id(OBJECT_PROCESS, VK_PROCESS_ENDS)
#define VK_CLIENTS object_id(OBJECT_PROCESS, VK_PROCESS_CLIENTS)
#define VK_PARTED object_id(OBJECT_PROCESS, VK_PROCESS_PARTED)
#define VK_SHARED object_id(OBJECT_PROCESS, VK_PROCESS_SHARED)
#define VK_SLOTS object_id(OBJECT_PROCESS, VK_PROCESS_SLOTS)
#define VK_HIDDEN_NUMBERS object_id(OBJECT_PROCESS, VK_PROCESS_HIDDEN_FDS)
#define VK_GUARDS object_id(OBJECT_PROCESS, VK_PROCESS_GUARDS)
#define VK_NAMES object_id(OBJECT_PROCESS, VK_PROCESS_NAMES)
#define VK_TIMERS object_id(OBJECT_PROCESS, VK_PROCESS_TIMERS)
#define VK_CREDENTIALS object_id(OBJECT_PROCESS, VK_PROCESS_CREDENTIALS)
#define VK_FILE_LOCKS object_id(OBJECT_PROCESS, VK_PROCESS_FILE_LOCKS)
#define VK_SEMAPHORES object_id(OBJECT_PROCESS, VK_PROCESS_SEMAPHORES)
#define VK_NET_FAULTS object_id(OBJECT_PROCESS, VK_PROCESS_NET_FAULTS)
#define VK_SHARED_MAPS object_id(OBJECT_PROCESS, VK_PROCESS_SHARED_MAPS)

/* vk->settings[slot], and a thread's name, as others can set and get them. */
#define VK_SETTINGS_FIRST_KEY 0x10000u
static inline u64 vk_settings_object(u32 slot)
{
	return object_id(OBJECT_PROCESS, VK_SETTINGS_FIRST_KEY + slot);
}

/* Which slots of descriptions and pipes are free in a lane (core/desc.c). No words of its own. */
#define VK_LANE_FIRST_KEY 0x18000u
static inline u64 vk_lane_object(u32 lane)
{
	return object_id(OBJECT_PROCESS, VK_LANE_FIRST_KEY + lane);
}

/* State that libc keeps for all threads (interpose/libc_state.c). It lies in the
   program's memory: no words of ours. */
enum libc_object {
	LIBC_NOTHING,
	LIBC_STDIN, /* addresses in truth, as other streams */
	LIBC_STDOUT,
	LIBC_STDERR,
	LIBC_BREAK, /* VK_BREAK in truth: libc's copy of the program break */
	LIBC_ATEXIT,
	LIBC_CONCURRENCY,
	LIBC_CRYPT,
	LIBC_ENVIRONMENT,
	LIBC_ETHER,
	LIBC_GETLOGIN,
	LIBC_GETOPT,
	LIBC_GROUP,
	LIBC_HOSTS,
	LIBC_HSEARCH,
	LIBC_L64A,
	LIBC_LOCALE,
	LIBC_NUMBERS,
	LIBC_PASSWD,
	LIBC_RANDOM,
	LIBC_RANDOM48,
	LIBC_REGEX,
	LIBC_SERVICES,
	LIBC_SEVERITIES,
	LIBC_SHIFT_STATE,
	LIBC_STRTOK,
	LIBC_SYSLOG,
	LIBC_TIME,
	LIBC_TMPNAM,
	LIBC_TTYNAME,
	LIBC_UTMP,
	LIBC_OBJECTS
};
#define LIBC_FIRST_KEY 0x200u
static inline u64 libc_object(enum libc_object which)
{
	return object_id(OBJECT_PROCESS, LIBC_FIRST_KEY + which);
}
/* A stream or an open directory of libc's. */
#define LIBC_ADDRESS ((u64)1 << 48)
static inline u64 libc_address_object(u64 address)
{
	return object_id(OBJECT_PROCESS, LIBC_ADDRESS | address);
}

/* Which descriptor numbers are free: vk->fd as a whole, vk->fd_limit. */
#define VK_FD_TABLE object_id(OBJECT_FD_TABLE, 0)
/* One number: vk->fd[fd]. */
static inline u64 vk_fd_object(int fd)
{
	return object_id(OBJECT_FD, (u32)fd);
}
/*
 * Two lessons about it, without words (core/fd.c, "Taking numbers"): that it is free, and who takes it.
 */
static inline u64 vk_fd_free_object(int fd)
{
	return object_id(OBJECT_FD, (u64)(u32)fd | (u64)1 << 40);
}
/* A number since this fiber opened it: a lesson, without words (core/fd.c, "Whose number"). */
static inline u64 vk_fd_opened_object(int fd, u32 opener)
{
	return object_id(OBJECT_FD, (u64)(u32)fd | (u64)opener << 44 | (u64)1 << 42);
}
static inline u64 vk_fd_taken_object(int fd)
{
	return object_id(OBJECT_FD, (u64)(u32)fd | (u64)1 << 41);
}
/*
 * What the numbers of sockets, pipes and eventfds mean, all of them: a lesson for all (core/fd.c); no words.
 */
#define VK_STREAM_NUMBERS object_id(OBJECT_FD, 0xffffffff)

/* An open file description in three parts, so that what commutes stays apart. */
enum vk_desc_part {
	VK_DESC_POSITION, /* pos: where in the file, an eventfd's counter; host and object */
	VK_DESC_FLAGS,    /* flags, as fcntl changes them */
	VK_DESC_REFS,     /* refs, and with them kind and sub: its life */
	VK_DESC_PARTS = 4
};
static inline u64 vk_desc_object(u32 slot, enum vk_desc_part part)
{
	return object_id(OBJECT_DESC, (u64)slot * VK_DESC_PARTS + part);
}

/* vk->pipe[slot] */
static inline u64 vk_pipe_object(u32 slot)
{
	return object_id(OBJECT_PIPE, slot);
}
/* vk->epoll[slot] */
static inline u64 vk_epoll_object(u32 slot)
{
	return object_id(OBJECT_PIPE, (u64)slot | (u64)1 << 40);
}
#define VK_SOCKET_NAME ((u64)1 << 40)
/* vk->sock[slot] and vk->sock_data[slot]; its options and time-outs, which calls set and get without
 * a word to the network. */
static inline u64 vk_socket_object(u32 slot)
{
	return object_id(OBJECT_SOCKET, (u64)slot * 2);
}
static inline u64 vk_socket_options_object(u32 slot)
{
	return object_id(OBJECT_SOCKET, (u64)slot * 2 + 1);
}

/* Its two names, as getsockname and getpeername tell them: a lesson; no words. */
static inline u64 vk_socket_name_object(u32 slot)
{
	return object_id(OBJECT_SOCKET, (u64)slot * 2 | VK_SOCKET_NAME);
}

/* vk->action[sig]; vk->signals. A fiber's own mask and signals are OBJECT_THREAD's. */
static inline u64 vk_action_object(int sig)
{
	return object_id(OBJECT_SIGNALS, (u32)sig);
}
#define VK_PENDING_SIGNALS object_id(OBJECT_SIGNALS, 0)
/*
 * Those of one number in the queue of the process: whoever changes them declares VK_PENDING_SIGNALS, too. So
 * a fiber that blocks a signal need not mind where it goes. No words.
 */
static inline u64 vk_pending_object(int sig)
{
	return object_id(OBJECT_SIGNALS, 0x80u + (u32)sig);
}
/* The masks of all fibers, and which signals they wait for: who could take one. No words. */
#define VK_MASKS object_id(OBJECT_SIGNALS, 0x100)
/* For which signals there are handlers, and which are ignored. No words. */
#define VK_HANDLERS object_id(OBJECT_SIGNALS, 0x101)
/* A fact, no words: the program itself sends this signal to the thread in `slot`, or to all (TO_PROCESS). */
static inline u64 vk_sent_object(u32 slot, int sig)
{
	return object_id(OBJECT_SIGNALS, ((slot + 2) & 0xffffu) << 8 | (u32)sig);
}

#define VK_MAPPING_RIGHTS ((u64)1 << 40)
/* What may be done with memory mapped in a range: system calls look, mprotect and munmap change. No words. */
static inline u64 vk_rights_object(u32 range)
{
	return object_id(OBJECT_MAPPING, (u64)range | VK_MAPPING_RIGHTS);
}
/* vk->maps[range] */
static inline u64 vk_mapping_object(u32 range)
{
	return object_id(OBJECT_MAPPING, range);
}

#endif
