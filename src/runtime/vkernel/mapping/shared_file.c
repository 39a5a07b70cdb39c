/*
 * shared_file.c: shared mappings of files that the program writes: shm_open, memfd_create, a file that is a
 * table in memory.
 *
 * The contents of such a file lie in tracked memory, in a place of their own (files/overlay.h). A shared
 * mapping is that place: what is stored there is in the file, what write() puts into the file is in the
 * mapping, and a second mapping is the same memory at the same address. Linux gives each mapping an address
 * of its own, which no program means to tell apart.
 *
 * Pages behind the end of the file can be mapped, not used (SIGBUS), until it grows; they are guarded as
 * memory without rights is (mapping/user.c).
 *
 * Given up, and refused by name: rights other than to read and write, fixed addresses, and taking a mapping
 * away while other threads could use it: the place stays accessible.
 */
#include <linux/mman.h>

#include "runtime/vkernel/files/overlay.h"
#include "runtime/vkernel/files/touch.h"
#include "runtime/vkernel/mapping/mappings.h"
#include "state/track.h"

static long refuse(const struct vk_call *c, const char *what)
{
	vk_refuse(c, what);
	return -ENODEV;
}

static u64 end_of(u32 inode)
{
	return HD_ROUND_UP(vk_inode(inode)->size, (u64)HD_PAGE);
}

/* Bytes [from, to) of its place, whole pages, lie behind the end of the file, or no longer. */
static bool guard(u32 inode, u64 from, u64 to, bool behind)
{
	u64 at = (u64)vk_inode_data(inode);
	if (from >= to)
		return true;
	track_protect(at + from, to - from, behind ? PROT_NONE : PROT_READ | PROT_WRITE);
	return guards_set(at + from, at + to, behind ? PROT_BEYOND : (u32)(PROT_READ | PROT_WRITE));
}

void shared_file_resize(struct vk_call *c, u32 inode, u64 size)
{
	struct vk_inode *n = vk_inode(inode);
	u64 old = end_of(inode), new = HD_ROUND_UP(size, (u64)HD_PAGE);
	if (!guard(inode, HD_MIN(old, new), HD_MAX(old, new), new < old))
		vk_refuse(c, "limit: more than 256 pieces of memory with rights of their own");
	if (new < old)
		n->guarded = HD_MAX(n->guarded, old);
	else if (n->guarded <= new)
		n->guarded = 0;
}

void shared_file_unguard(u32 inode)
{
	struct vk_inode *n = vk_inode(inode);
	if (n->guarded)
		guard(inode, end_of(inode), n->guarded, false);
	n->guarded = 0;
}

long shared_file_map(struct vk_call *c, const struct vk_desc *d, u64 offset, u64 len, u32 prot, u32 flags)
{
	struct vk_inode *n = vk_inode(d->object);
	if (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE))
		return refuse(c, "mmap (shared, of a file that is written, at a fixed address)");
	if (!(prot & PROT_WRITE) && (d->flags & O_ACCMODE) == O_RDONLY)
		prot |= PROT_WRITE; /* who opened it so can't mean to write */
	if (prot != (PROT_READ | PROT_WRITE))
		return refuse(c, "mmap (shared, of a file that is written, not to read and write)");
	u64 end = end_of(d->object);
	if (offset + len > VK_FILE_MAX)
		return refuse(c, "limit: mmap (shared, of a file, beyond 32 MiB)");
	vk_declare(inode_object(d->object), ACCESS_WRITE);
	if (offset + len > end && !guard(d->object, HD_MAX(end, n->guarded), offset + len, true))
		return refuse(c, "limit: more than 256 pieces of memory with rights of their own");
	if (offset + len > end)
		n->guarded = HD_MAX(n->guarded, offset + len);
	n->mapped++;
	n->opens++; /* it stays when it is closed and its name is removed */
	return (long)(vk_inode_data(d->object) + offset);
}

long shared_file_unmap(struct vk_call *c, u64 start, u64 len)
{
	u32 number = (u32)((start - VK_FILE_BASE) / VK_FILE_MAX) + 1;
	(void)len;
	if (!vk_inode(number)->mapped)
		return 0; /* nothing is mapped there */
	if (!sched_all_joined())
		vk_refuse(c, "munmap of a shared mapping of a file, beside other threads");
	vk_use(c, inode_object(number), ACCESS_WRITE);
	vk_inode_unmapped(number);
	return 0;
}
