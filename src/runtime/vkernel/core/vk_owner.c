/*
 * Which object a byte of the virtual kernel's model belongs to: the other way round than core/objects.h.
 * For the audit of footprints (search/audit.h). A free slot belongs to nobody.
 */
#include "runtime/vkernel/core/vk_owner.h"

#include "runtime/vkernel/core/vk_priv.h"
#include "runtime/vkernel/files/touch.h"

/* Is the address inside, and how far? */
static bool inside(u64 address, const volatile void *start, u64 size, u64 *offset)
{
	*offset = address - (u64)start;
	return *offset < size;
}
#define INSIDE(field, offset) inside(address, &vk->field, sizeof(vk->field), offset)
/* The same for an array: which element, and how far into it. */
#define ELEMENT(field, slot, offset) \
	(INSIDE(field, offset) && \
	 (slot = *(offset) / sizeof(vk->field[0]), *(offset) %= sizeof(vk->field[0]), true))

static bool belongs(struct owner *o, u64 object, const char *what)
{
	*o = (struct owner){object, 0, what};
	return true;
}

static bool desc_owner(u64 slot, u64 offset, struct owner *o)
{
	const u64 flags = offsetof(struct vk_desc, flags);
	if (offset < flags)
		return belongs(o, vk_desc_object((u32)slot, VK_DESC_REFS),
			       "the life of an open file description");
	if (offset < flags + sizeof(u32))
		return belongs(o, vk_desc_object((u32)slot, VK_DESC_FLAGS),
			       "the flags of an open file description");
	return belongs(o, vk_desc_object((u32)slot, VK_DESC_POSITION),
		       "the position of an open file description");
}

static bool socket_owner(u64 slot, u64 offset, struct owner *o)
{
	if (offset >= offsetof(struct vk_sock, receive_timeout))
		return belongs(o, vk_socket_options_object((u32)slot), "the options of a socket");
	return belongs(o, vk_socket_object((u32)slot), "a socket");
}

static bool inode_owner(u64 slot, struct owner *o)
{
	return vk->inode[slot].id && belongs(o, inode_object((u32)slot + 1), "a file");
}

/* sched/semaphore.c knows a semaphore by its address. */
static bool semaphore_owner(u64 slot, u64 offset, struct owner *o)
{
	const struct vk_semaphore *s = &vk->semaphore[slot];
	if (offset >= offsetof(struct vk_semaphore, words))
		return belongs(o, (u64)s->words, "a named semaphore");
	return belongs(o, VK_SEMAPHORES, "the named semaphores");
}

static bool name_owner(u64 slot, struct owner *o)
{
	u64 key = vk->name[slot].key;
	return key && belongs(o, object_id(OBJECT_NAME, key), "a name");
}

static bool table_owner(u64 address, struct owner *o)
{
	u64 slot, at;
	if (INSIDE(fd_limit, &at))
		return belongs(o, VK_FD_TABLE, "the table of descriptors");
	if (ELEMENT(fd, slot, &at) || ELEMENT(closed_by, slot, &at))
		return belongs(o, vk_fd_object((int)slot), "a descriptor");
	if (ELEMENT(desc, slot, &at))
		return desc_owner(slot, at, o);
	if (ELEMENT(action, slot, &at))
		return belongs(o, vk_action_object((int)slot), "what a signal does");
	if (INSIDE(signals, &at))
		return belongs(o, VK_PENDING_SIGNALS, "the signals sent to the process");
	if (ELEMENT(settings, slot, &at))
		return belongs(o, vk_settings_object((u32)slot), "the settings of a thread");
	if (ELEMENT(maps, slot, &at))
		return belongs(o, vk_mapping_object((u32)slot), "the memory mappings of a range");
	if (ELEMENT(pipe, slot, &at) || ELEMENT(large_pipe, slot, &at))
		return belongs(o, vk_pipe_object((u32)slot), "a pipe");
	if (ELEMENT(epoll, slot, &at))
		return belongs(o, vk_epoll_object((u32)slot), "an epoll set");
	if (ELEMENT(sock, slot, &at))
		return socket_owner(slot, at, o);
	if (ELEMENT(sock_data, slot, &at))
		return belongs(o, vk_socket_object((u32)slot), "a socket");
	if (ELEMENT(semaphore, slot, &at))
		return semaphore_owner(slot, at, o);
	if (!ELEMENT(fiber, slot, &at))
		return false;
	*o = (struct owner){thread_object((u32)slot), (u32)slot + 1, "the signals of a thread"};
	return true;
}

static u64 inode_at(u64 address)
{
	return (address - VK_FILE_BASE) / VK_FILE_MAX;
}

bool vk_is_mapped_file(u64 address)
{
	return vk_is_file_data(address) && vk->inode[inode_at(address)].mapped;
}

static bool process_owner(u64 offset, struct owner *o)
{
	for (u32 i = 0; i < vk_process_state_count; i++) {
		const struct vk_process_state *s = &vk_process_state[i];
		if (offset - s->offset < s->size)
			return belongs(o, object_id(OBJECT_PROCESS, s->object), s->name);
	}
	return false;
}

bool vk_owner(u64 address, struct owner *o)
{
	u64 offset, slot, at;
	if (vk_is_file_data(address))
		return !vk_is_mapped_file(address) && inode_owner(inode_at(address), o);
	if (!inside(address, vk, sizeof(*vk), &offset))
		return false;
	if (ELEMENT(inode, slot, &at))
		return inode_owner(slot, o);
	if (ELEMENT(name_key, slot, &at) || ELEMENT(name, slot, &at))
		return name_owner(slot, o);
	return table_owner(address, o) || process_owner(offset, o) ||
	       belongs(o, object_id(OBJECT_WORLD, 0), "state without an owner (core/vk_owner.c)");
}
