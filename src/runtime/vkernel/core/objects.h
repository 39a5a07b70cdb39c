/*
 * objects.h: what of the virtual kernel fibers can meet at, as object ids (search/footprint.h), and which
 * words of the model belong to each. A free slot belongs to nobody: making or freeing it declares the object
 * it becomes or was.
 */
#ifndef HEDDLE_RUNTIME_VK_OBJECTS_H
#define HEDDLE_RUNTIME_VK_OBJECTS_H

#include "search/footprint.h"

/* Process-wide state. The scheduler's own numbers (the clock …) are below 0x100. */
enum vk_process_object {
	VK_PROCESS_UMASK = 0x100, /* vk->umask */
	VK_PROCESS_CWD,           /* vk->cwd */
	VK_PROCESS_BREAK,         /* vk->brk; the mapping itself is OBJECT_MAPPING 0 */
	VK_PROCESS_LIMITS,        /* vk->nofile_soft, vk->nofile_hard */
	VK_PROCESS_ENDS, /* no words: whether connections have come to their end, as getpeername can tell */
	VK_PROCESS_CLIENTS,     /* vk->client_taken, vk->dgram_client, and who waits for clients */
	VK_PROCESS_PARTED,      /* vk->parted */
	VK_PROCESS_SLOTS,       /* vk->desc_limit; which descriptions, pipes and inodes are free */
	VK_PROCESS_SHARED_MAPS, /* vk->mapped_shared */
	VK_PROCESS_NAMES,       /* vk->names */
	VK_PROCESS_TIMERS,      /* vk->timer */
};
#define VK_UMASK object_id(OBJECT_PROCESS, VK_PROCESS_UMASK)
#define VK_CWD object_id(OBJECT_PROCESS, VK_PROCESS_CWD)
#define VK_BREAK object_id(OBJECT_PROCESS, VK_PROCESS_BREAK)
#define VK_LIMITS object_id(OBJECT_PROCESS, VK_PROCESS_LIMITS)
#define VK_ENDS object_id(OBJECT_PROCESS, VK_PROCESS_ENDS)
#define VK_CLIENTS object_id(OBJECT_PROCESS, VK_PROCESS_CLIENTS)
#define VK_PARTED object_id(OBJECT_PROCESS, VK_PROCESS_PARTED)
#define VK_SLOTS object_id(OBJECT_PROCESS, VK_PROCESS_SLOTS)
#define VK_NAMES object_id(OBJECT_PROCESS, VK_PROCESS_NAMES)
#define VK_TIMERS object_id(OBJECT_PROCESS, VK_PROCESS_TIMERS)
#define VK_SHARED_MAPS object_id(OBJECT_PROCESS, VK_PROCESS_SHARED_MAPS)

/* Which descriptor numbers are free: vk->fd as a whole, vk->fd_limit. */
#define VK_FD_TABLE object_id(OBJECT_FD_TABLE, 0)
/* One number: vk->fd[fd]. */
static inline u64 vk_fd_object(int fd)
{
	return object_id(OBJECT_FD, (u32)fd);
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

/* vk->action[sig]; vk->signals. A fiber's own mask and signals are OBJECT_THREAD's. */
static inline u64 vk_action_object(int sig)
{
	return object_id(OBJECT_SIGNALS, (u32)sig);
}
#define VK_PENDING_SIGNALS object_id(OBJECT_SIGNALS, 0)
/* The masks of all fibers, and which signals they wait for: who could take one. No words. */
#define VK_MASKS object_id(OBJECT_SIGNALS, 0x100)

/* vk->maps[range] */
static inline u64 vk_mapping_object(u32 range)
{
	return object_id(OBJECT_MAPPING, range);
}

#endif
